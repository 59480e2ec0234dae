"""Index of the open proposals: by proposer, by sequence, and what the guests of one sponsor hold together.

It is derived from `State.proposals`, and can be rebuilt from it at any time.
"""

from __future__ import annotations

from ..state import Proposal, State
from .given_capabilities import Shares


class ProposalIndex:
    """The open proposals of a space, each group oldest first."""

    def __init__(self, state: State) -> None:
        self._of_proposer: dict[str, dict[str, Proposal]] = {}
        self._of_sequence: dict[str, dict[str, Proposal]] = {}
        self._of_guests = Shares()  # bytes, by guest and sponsor
        self._bytes = Shares()  # by proposer
        for proposal in state.proposals.values():
            self.add(proposal)

    def add(self, proposal: Proposal) -> None:
        """Add a proposal that was made."""
        self._of_proposer.setdefault(proposal.proposer, {})[proposal.id] = proposal
        if proposal.sequence is not None:
            self._of_sequence.setdefault(proposal.sequence, {})[proposal.id] = proposal
        self._count(proposal, proposal.size)

    def remove(self, proposal: Proposal) -> None:
        """Remove a proposal that is closed."""
        _remove(self._of_proposer, proposal.proposer, proposal.id)
        if proposal.sequence is not None:
            _remove(self._of_sequence, proposal.sequence, proposal.id)
        self._count(proposal, -proposal.size)

    def of_proposer(self, name: str) -> list[Proposal]:
        """Return the open proposals of a participant."""
        return list(self._of_proposer.get(name, {}).values())

    def of_sequence(self, id: str) -> list[Proposal]:
        """Return the open proposals of a sequence."""
        return list(self._of_sequence.get(id, {}).values())

    def number_of(self, name: str) -> int:
        """Return how many proposals of a participant are open."""
        return len(self._of_proposer.get(name, ()))

    def bytes_of(self, name: str) -> int:
        """Return the bytes of a participant's open proposals."""
        return self._bytes.of(name)

    def bytes_of_guests(self, sponsor: str) -> int:
        """Return the bytes of the open proposals of all guests of a sponsor (`State.sponsor`)."""
        return self._of_guests.held_by(sponsor)

    def _count(self, proposal: Proposal, size: int) -> None:
        self._bytes.add(proposal.proposer, proposal.proposer, size)
        if proposal.sponsor != proposal.proposer:
            self._of_guests.add(proposal.proposer, proposal.sponsor, size)


def _remove(groups: dict[str, dict[str, Proposal]], key: str, id: str) -> None:
    del groups[key][id]
    if not groups[key]:
        del groups[key]
