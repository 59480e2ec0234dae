"""Who may send what and who is here: indexes over `State`, rebuilt from it at any time."""

from __future__ import annotations

from collections.abc import Iterable

from mew_gateway.protocol.capabilities import Capabilities, compile_capability

from .state import State


class Members:
    """The participants of a space: their compiled capabilities and their connections, in the order of joining."""

    def __init__(self, state: State) -> None:
        self._capabilities: dict[str, Capabilities] = {}
        self._connections: dict[str, tuple[int, ...]] = {}
        self.everyone: tuple[int, ...] = ()
        self.observers: tuple[str, ...] = ()
        self.reload(state)

    def reload(self, state: State) -> None:
        """Take over the settings and the connections of `state`."""
        participants = state.settings.participants
        self._capabilities = {
            name: Capabilities(compile_capability(source) for source in participant.capabilities)
            for name, participant in participants.items()
        }
        self.observers = tuple(name for name, participant in participants.items() if participant.observe)
        self._connections = {}
        for connection, participant_id in state.connections.items():
            self._connections[participant_id] = (*self.connections(participant_id), connection)
        self.everyone = tuple(state.connections)

    def knows(self, name: str) -> bool:
        """Whether the id is a participant's, here or not."""
        return name in self._capabilities

    def capabilities(self, name: str) -> Capabilities:
        """What the participant may send."""
        return self._capabilities[name]

    def connections(self, name: str) -> tuple[int, ...]:
        """The participant's connections; none if it is not here."""
        return self._connections.get(name, ())

    def present(self) -> list[str]:
        """The participants who are here, in the order of their oldest connections."""
        return sorted(self._connections, key=lambda name: self._connections[name][0])

    def join(self, name: str, connection: int) -> None:
        """A connection of the participant's came."""
        self._connections[name] = (*self.connections(name), connection)
        self.everyone = (*self.everyone, connection)

    def leave(self, name: str, connection: int) -> None:
        """A connection of the participant's went."""
        left = tuple(other for other in self.connections(name) if other != connection)
        if left:
            self._connections[name] = left
        else:
            self._connections.pop(name, None)
        self.everyone = tuple(other for other in self.everyone if other != connection)

    def connections_of(self, names: Iterable[str]) -> tuple[int, ...]:
        """The connections of several participants, each once."""
        return tuple(connection for name in dict.fromkeys(names) for connection in self.connections(name))
