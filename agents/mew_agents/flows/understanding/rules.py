"""Understanding by rules: a closed set of words, the flows' triggers, typed extractors; no key, no network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from mew_agents.flows.commands import (
    Affirm,
    AnyCommand,
    CancelFlow,
    ChitChat,
    Clarify,
    CorrectSlot,
    Deny,
    Handoff,
    QueueFlow,
    ReopenSlot,
    SetSlot,
    StartFlow,
    Wait,
)
from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.understanding.after_yes import after_yes
from mew_agents.flows.understanding.amends import amended, called, says_wrong, wants_another
from mew_agents.flows.understanding.asides import (
    SOFT,
    asks_about,
    asks_meaning,
    asks_to_wait,
    dropped,
    dropped_first,
    forbids,
    forbids_all,
    is_question,
    only_chats,
    unwanted,
    wants_a_person,
)
from mew_agents.flows.understanding.base import Standing, Understander
from mew_agents.flows.understanding.emptied import emptied, is_all
from mew_agents.flows.understanding.filling import fill, told, understanding
from mew_agents.flows.understanding.fragments import names
from mew_agents.flows.understanding.given_up import given_up
from mew_agents.flows.understanding.heard import heard
from mew_agents.flows.understanding.noted import note_asked_for, noted, shorter, without_note
from mew_agents.flows.understanding.qualified import qualified
from mew_agents.flows.understanding.remarks import purpose
from mew_agents.flows.understanding.triggers import Wanted, is_wished, says_nothing_else, wanted
from mew_agents.flows.understanding.which import which_slot
from mew_agents.flows.understanding.wishes import Later, acts_first, likely, wishes
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.slots import EnumSlot, Slot
from mew_agents.fluxi.interpreter.base import Candidate
from mew_agents.fluxi.values.places import token_at
from mew_agents.language.answers import answer
from mew_agents.language.asking import asks, asks_how, may_ask
from mew_agents.language.changes_of_mind import changes_of_mind
from mew_agents.language.clauses import CLAUSES
from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.requests import says_little_but_giving_up

Valued: TypeAlias = tuple[SetSlot | CorrectSlot, ...]
Filled: TypeAlias = tuple[SetSlot | CorrectSlot | ReopenSlot, ...]


class Rules(Understander):
    """The same text, the same commands. What it is not told by a word, it does not command."""

    name = "flow-rules-1"
    deterministic = True

    def commands(self, text: str, standing: Standing) -> tuple[AnyCommand, ...]:
        """A yes or a no, the plain answer, what is said beside the flow, another flow, and what else is filled."""
        if standing.question is None and standing.at_hand is None:
            return _opened(text, standing)
        second = after_yes(text, standing)
        if second is not None:
            return second
        without = _without_values(text, standing)
        if without is not None:
            return without
        as_wanted = qualified(text, standing)
        if as_wanted is not None:
            return as_wanted
        unclear = which_slot(text, standing)
        if unclear is not None:
            return (unclear,)
        text, told_for = _purposed(text, standing)
        others, found = read(text, standing)
        if told_for is not None and all(one.path != told_for.path for one in found):
            kept = tuple(one for one in others if not isinstance(one, Affirm | Deny | Clarify))
            return (*found, told_for, *kept)
        if standing.question is None and any(isinstance(one, StartFlow) for one in others):
            return others  # what else it says is said of the flow that begins
        first = [one for one in found if _of_first_pass(one, standing)]
        return (*first, *_of_the_same_words(first, found, standing), *others)

    def slots(self, text: str, standing: Standing) -> Valued:
        """Everything; while something is asked, nothing of a message that pass 1 takes for something else."""
        if standing.question is not None:
            elsewhere = after_yes(text, standing) or _without_values(text, standing)
            elsewhere = elsewhere or qualified(text, standing)
            other = elsewhere is not None or which_slot(text, standing) is not None
            return () if other else valued(read(text, standing)[1])
        begun, others = wishes(text, standing)
        mine = standing.at_hand is not None and begun == standing.at_hand.name
        first = _first_wish(text, others) if mine else text  # else it began instead of what the message drops
        asked_for = wanted(first, standing)
        triggers = () if asked_for is None else asked_for.again
        note = _note_apart(first, standing, triggers)
        rest = first if note is None else without_note(first, note)
        found = valued(filled(rest, standing, triggers=triggers))
        found = found if note is None else (*(one for one in found if one.path != note.path), SetSlot(**told(note)))
        return _with_names(first, standing, found, triggers)


def _without_values(text: str, standing: Standing) -> Filled | None:
    """The slots that are to have no value, and what the rest of the message fills. None: it gives up none, or it goes
    on about something else. Beside "sin propina" a yes counts for nothing: what is confirmed has changed.
    """
    gone = emptied(text, standing)
    spans = [*gone.values()]
    slot = asked_slot(standing)
    if not gone:
        return None
    commands = tuple(ReopenSlot(path=path, emptied=True) for path in gone)
    if is_all(text, standing.language, spans):
        return commands
    for start, end in spans:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    found = () if _in_words(slot) else filled(text, standing)
    return (*commands, *found) if found else None


def _of_the_same_words(first: Sequence[AnyCommand], found: Filled, standing: Standing) -> Iterator[SetSlot]:
    """Values that say an option of the asked slot as well: an address, where the way to answer was asked for."""
    slot = asked_slot(standing)
    if isinstance(slot, EnumSlot):
        asked = [one for one in first if isinstance(one, SetSlot) and one.path == slot.path]
        spans, ways = [(one.start, one.end) for one in asked], [one.value for one in asked]
        others = (one for one in found if isinstance(one, SetSlot) and one not in first)
        yield from (one for one in others if (one.start, one.end) in spans or one.path in ways)


def _purposed(text: str, standing: Standing) -> tuple[str, SetSlot | CorrectSlot | None]:
    """An answer without the words that say what it is for, and these: "120 dollars, it's for instalment 3 of 12"."""
    flow, slot = standing.at_hand, asked_slot(standing)
    if flow is None or standing.question is None or (slot is not None and values.is_free(slot)):
        return text, None
    told_for = _note_apart(text, standing)
    if told_for is None and slot is not None and standing.question == "slot":
        typed = [one for one in valued(filled(text, standing)) if one.path == slot.path]
        told_for = purpose(flow, text, standing, typed) if typed else None
    if told_for is None:
        return text, None
    kept = without_note(text, told_for)
    held = told_for.path in standing.values
    return kept, CorrectSlot(**told(told_for)) if held else SetSlot(**told(told_for))


def _note_apart(text: str, standing: Standing, triggers: Sequence[values.Span] = ()) -> Candidate | None:
    """The note that a message has a word for, up to a value that nothing else says. None: there is none."""
    note = None if standing.at_hand is None else note_asked_for(standing.at_hand, text, standing)
    if note is None or any(note.start < end and begin < note.end for begin, end in triggers):
        return None
    said = valued(filled(text, standing, triggers=triggers))
    best, most = None, len({one.path for one in said} - {note.path})
    for one in (note, *shorter(note, text, [one.start for one in said if one.path != note.path])):
        left = {other.path for other in valued(filled(without_note(text, one), standing, triggers=triggers))}
        filled_beside = len(left - {note.path})
        if filled_beside > most or (best is None and filled_beside == most):
            best, most = one, filled_beside
    return best


def _with_names(text: str, standing: Standing, found: Valued, triggers: Sequence[values.Span]) -> Valued:
    """What the message that begins a flow fills, with the names that stand alone in it."""
    flow = standing.at_hand
    if flow is None or standing.values:
        return found
    alone = names(flow, text, standing.language, found=found, triggers=triggers)
    both = {one.path: one for one in found} | {path: SetSlot(**told(one)) for path, one in alone.items()}
    wanted_for = purpose(flow, text, standing, tuple(both.values()))
    if wanted_for is not None:
        both[wanted_for.path] = SetSlot(**told(wanted_for))
    for one in noted(flow, text, standing, tuple(both.values()), triggers):
        both.setdefault(one.path, SetSlot(**told(one)))
    return tuple(both[path] for path in flow.definition.paths if path in both)


def _opened(text: str, standing: Standing) -> tuple[AnyCommand, ...]:
    """What a message comes to while nothing is at hand: wishes for flows, or what is said beside them."""
    _, others_wanted = wishes(text, standing)
    first = _first_wish(text, others_wanted)
    commands, _ = read(first, standing)
    if not commands and (meant := likely(first, standing)) is not None:
        commands = (StartFlow(flow=meant.flows[0], rivals=meant.flows[1:]),)
    if any(isinstance(one, StartFlow) for one in commands):
        return (*commands, *(_queued(text, one, standing) for one in others_wanted))
    return commands


def _queued(text: str, wish: Later, standing: Standing) -> QueueFlow:
    """A wish that has to wait, with what its own words fill of its flow."""
    own = f"{' ' * wish.start}{text[wish.start : wish.end]}{' ' * (len(text) - wish.end)}"
    begun = replace(standing, at_hand=_flow(wish.flow, standing))
    asked_for = wanted(own, begun)
    found = filled(own, begun, triggers=() if asked_for is None else asked_for.again)
    values_said = tuple(one for one in found if isinstance(one, SetSlot))
    return QueueFlow(flow=wish.flow, start=wish.start, end=wish.end, values=values_said)


def _first_wish(text: str, others: Sequence[Later]) -> str:
    """The message without the wishes that have to wait, at the same length."""
    for one in others:
        text = f"{text[: one.start]}{' ' * (one.end - one.start)}{text[one.end :]}"
    return text


def read(text: str, standing: Standing) -> tuple[tuple[AnyCommand, ...], Filled]:
    """What a message says beside the flow at hand, and what it fills of it."""
    plain = settled(text, standing)
    if plain is not None:
        return plain
    aside = _aside(text, standing)
    if aside is not None:
        return (aside,), ()
    if standing.question == "execution" and forbids_all(text, standing.language):
        return (CancelFlow(),), ()
    asked_for = wanted(text, standing)
    again = () if asked_for is None else asked_for.again
    restated = _restated(text, again, standing)
    read_here = _filled(text, standing, restated=restated, triggers=again if restated else ())
    found = read_here or ()
    slot = asked_slot(standing)
    only_words = slot is not None and _in_words(slot) and all(one.path == slot.path for one in found)
    ended = _ended(text, standing) if only_words or not found else None
    if ended is not None:
        return ended, ()
    if asked_for is not None and asked_for.flows:
        return _begun(text, asked_for, found, standing)
    dropped_so = given_up(text, standing, slot, found)
    if dropped_so is not None:
        return (dropped_so, *_instead_of_it(text, dropped_so, standing)), ()
    if slot is not None and _is_asked_instead(text, slot, found, standing):
        return (Clarify(path=_asked_about(text, standing)),), ()
    if (not found or _asks(text)) and asks_about(text, standing.language):
        return (Clarify(path=_asked_about(text, standing)),), ()
    if standing.at_hand is None or standing.question is None:
        return (), found
    if _asks_of_another(text, standing):
        return (Clarify(path=_asked_about(text, standing)),), ()
    if found:
        return (), (*found, *_left_wrong(text, found, standing))
    reopened = _reopened(text, standing.at_hand, standing)
    if reopened:
        return (), reopened
    return _unanswered(text, standing, held=read_here is not None), ()


def _instead_of_it(text: str, dropped_so: AnyCommand, standing: Standing) -> tuple[StartFlow, ...]:
    """What a message asks for beside the words that drop the flow at hand: "no transfer. My card got stolen"."""
    if not isinstance(dropped_so, CancelFlow) or standing.at_hand is None:
        return ()
    rest = text
    for _, start, end in changes_of_mind(text, standing.language):
        rest = f"{rest[:start]}{' ' * (end - start)}{rest[end:]}"
    meant = likely(rest, replace(standing, at_hand=None, question=None, asked=None, values={}))
    others = () if meant is None else tuple(one for one in meant.flows if one != standing.at_hand.name)
    acts = others and acts_first(_flow(others[0], standing))
    return (StartFlow(flow=others[0], rivals=others[1:]),) if others and not acts else ()


def _is_asked_instead(text: str, slot: Slot, found: Filled, standing: Standing) -> bool:
    """Whether a message asks something where words were asked for, and would be taken for them."""
    if not values.is_free(slot) or any(one.path != slot.path for one in found):
        return False
    return asks_how(text, standing.language) if slot.type == "text" else asks(text, standing.language)


def _unanswered(text: str, standing: Standing, *, held: bool) -> tuple[AnyCommand, ...]:
    """What a message without a value says: a no, a question, or what is held already (`held`)."""
    confirming = standing.question == "execution"
    if confirming and forbids(text, standing.language):
        return (Deny(),)
    corrects = confirming and amended(text, standing.language).marked
    if is_question(text, standing.language) or (not corrects and may_ask(text, standing.language)):
        about = _asked_about(text, standing)
        return (Clarify(path=about, known=not confirming or about is not None),)
    short = len(text.split()) <= _FEW
    return (Clarify(),) if held and short else ()


def _asks_of_another(text: str, standing: Standing) -> bool:
    """Whether a question names a slot, where words are asked for: “¿qué temas hay? no sé si elegí bien”."""
    slot = asked_slot(standing)
    if slot is None or not values.is_free(slot):
        return False
    asked = [part for part in text.replace("?", "?\n").splitlines() if part.rstrip().endswith("?")]
    return any(_asked_about(part, standing) is not None for part in asked)


def _left_wrong(text: str, found: Filled, standing: Standing) -> Filled:
    """The slots that are held, and that a message beside its values says to be wrong: they are asked for again."""
    slot, definition = asked_slot(standing), None if standing.at_hand is None else heard(standing.at_hand)
    if definition is None or (slot is not None and slot.type == "text"):
        return ()
    names = called(definition, text, standing.language)
    filled_now = {one.path for one in found}
    held = [path for path in names if path in standing.values and path not in filled_now]
    return tuple(ReopenSlot(path=path) for path in held if says_wrong(text, standing.language))


def _asked_about(text: str, standing: Standing) -> str | None:
    """The slot that a question names."""
    definition = None if standing.at_hand is None else heard(standing.at_hand)
    if definition is None:
        return None
    for language in dict.fromkeys((standing.language, *LANGUAGES)):
        names = called(definition, text, language)
        if names:
            return next(iter(names))
    return None


def _ended(text: str, standing: Standing) -> tuple[AnyCommand, ...] | None:
    """A message that drops the flow at hand, and then says why, or what is wanted instead."""
    slot = asked_slot(standing)
    if standing.at_hand is None or standing.question is None or (slot is not None and slot.type == "text"):
        return None
    scope: Literal["top", "all"] = "top"
    definition = standing.at_hand.definition
    at = unwanted(text, standing.language, definition)
    at = 0 if at is None and says_little_but_giving_up(text, standing.language) else at
    if at is None or says_typed(text[:at], standing):
        ended = None if _in_words(slot) else dropped_first(text, standing.language, definition)
        if ended is None:
            return None
        scope, at = ended
    rest = f"{' ' * at}{text[at:]}"
    asked_for = wanted(rest, standing)
    if asked_for is None:
        asked_for = likely(rest, replace(standing, at_hand=None, question=None, asked=None, values={}))
    instead = () if asked_for is None else tuple(one for one in asked_for.flows if one != standing.at_hand.name)
    begun = (StartFlow(flow=instead[0], rivals=instead[1:]),) if instead else ()
    return (CancelFlow(scope=scope), *begun)


def says_typed(text: str, standing: Standing) -> bool:
    """Whether a text has a value for a slot of the flow at hand that takes no words: “no quiero transferir 50”."""
    flow = standing.at_hand
    known = understanding(standing, standing.language, within=None, asked=None)
    slots = () if flow is None else flow.definition.slots
    return any(not values.is_free(slot) and values.readings(slot, text, known) for slot in slots)


def _in_words(slot: Slot | None) -> bool:
    """Whether a slot takes any words."""
    return slot is not None and values.is_free(slot)


def valued(found: Filled) -> Valued:
    """The commands that have a value."""
    return tuple(one for one in found if isinstance(one, SetSlot | CorrectSlot))


def _reopened(text: str, flow: Flow, standing: Standing) -> Filled:
    """The slots that a message names, and says no other value of: “quiero cambiar el monto”."""
    definition = heard(flow)
    if definition is None:
        return ()
    for language in dict.fromkeys((standing.language, *LANGUAGES)):
        names = called(definition, text, language)
        if names and wants_another(text, [*names.values()], language, asked=standing.changing):
            return tuple(ReopenSlot(path=path) for path in definition.paths if path in names)
    return ()


def settled(text: str, standing: Standing) -> tuple[tuple[AnyCommand, ...], Filled] | None:
    """What needs no thought: an exact yes or no, and an answer of the asked slot's type that says nothing else."""
    exact = answer(text, standing.language).kind
    decided: AnyCommand | None = Affirm() if exact == "yes" else Deny() if exact == "no" else None
    if decided is not None and standing.question == "execution":
        return (decided,), ()
    slot = asked_slot(standing)
    if exact == "no" and slot is not None and slot.type == "text":
        return (), (_declined(slot, text),)
    if slot is not None and not values.is_free(slot):
        found = filled(text, standing)
        if any(one.path == slot.path for one in found) and (decided or covered(text, found, standing)):
            return (), found
    return None if decided is None else ((decided,), ())


def _declined(slot: Slot, text: str) -> SetSlot:
    """A no to a question for a text: “¿Alguna indicación?”, “no, gracias”. There is nothing to tell, in these words."""
    start = len(text) - len(text.lstrip())
    words = text.strip()
    return SetSlot(path=slot.path, value=words, start=start, end=start + len(words), evidence=words)


def filled(text: str, standing: Standing, *, restated: bool = False, triggers: Sequence[values.Span] = ()) -> Filled:
    """What the flow at hand gets of a message."""
    return _filled(text, standing, restated=restated, triggers=triggers) or ()


def _filled(
    text: str, standing: Standing, *, restated: bool = False, triggers: Sequence[values.Span] = ()
) -> Filled | None:
    """The same, by the first language that says something; somebody may change languages. Empty: all of it is held
    already; None: it says no value.

    Little words of another language ("a") lead to no value of a slot that takes any.
    """
    definition = None if standing.at_hand is None else heard(standing.at_hand)
    if definition is None:
        return None
    for language in dict.fromkeys((standing.language, *LANGUAGES)):
        found = fill(text, definition, standing, language, restated=restated, triggers=triggers)
        if found is None:
            continue
        if language == standing.language:
            return found  # also where all that was said is held already
        if language != standing.language:
            kept = (one for one in valued(found) if not values.is_free(definition.slot(one.path)))
            found = tuple(one for one in kept if not _is_denied(text, one.start, standing.language))
        if found:
            return found
    return None


def _is_denied(text: str, start: int, language: Language) -> bool:
    """Whether what begins there is denied by the word before it, as in "ni la perdí"."""
    folded = fold(text)
    return CLAUSES[language].directly_denied(folded.tokens, token_at(folded, start))


def asked_slot(standing: Standing) -> Slot | None:
    """The slot that the open question is about."""
    if standing.at_hand is None or standing.asked is None:
        return None
    named = standing.at_hand.slots.get(standing.asked)
    return None if named is None else named.slot


def covered(text: str, found: Filled, standing: Standing) -> bool:
    """Whether nothing is said beside these values."""
    return SOFT[standing.language].covers(fold(text), [(one.start, one.end) for one in valued(found)])


def _aside(text: str, standing: Standing) -> AnyCommand | None:
    language, slot = standing.language, asked_slot(standing)
    if standing.question is not None and asks_to_wait(text, language):
        return Wait()
    if only_chats(text, language):
        return ChitChat()
    scope = dropped(text, language, None if standing.at_hand is None else standing.at_hand.definition)
    if scope is not None:
        return CancelFlow(scope=scope)
    if asks_meaning(text, language):
        return Clarify()
    if wants_a_person(text, language, alone=slot is not None and values.is_free(slot)):
        return Handoff()
    return None


def _restated(text: str, again: Sequence[values.Span], standing: Standing) -> bool:
    """Whether the flow at hand is asked for once more, and not only named in an answer in words."""
    if not again or standing.at_hand is None:
        return False
    slot = asked_slot(standing)
    if slot is None or not values.is_free(slot):
        return True
    return says_nothing_else(text, standing.at_hand, again, standing, standing.language)


def _begun(text: str, asked_for: Wanted, found: Filled, standing: Standing) -> tuple[tuple[AnyCommand, ...], Filled]:
    """The flow that is asked for, and what of the message still belongs to the one at hand."""
    start = StartFlow(flow=asked_for.flows[0], rivals=asked_for.flows[1:])
    slot = asked_slot(standing)
    if slot is None:
        return (start,), ()
    if values.is_free(slot):
        meant = is_wished(text, asked_for) or says_nothing_else(
            text, _flow(start.flow, standing), asked_for.spans, standing, asked_for.language
        )
        return ((start,), ()) if meant else ((), found)
    answers = [one for one in valued(found) if one.path == slot.path]
    if any(one.start < end and begin < one.end for one in answers for begin, end in asked_for.spans):
        return (), found
    first = min(start for start, _ in asked_for.spans)
    before = (one for one in answers if one.end <= first and _parted(text[one.end : first]))
    return (start,), tuple(before)


def _flow(name: str, standing: Standing) -> Flow:
    return next(flow for flow in standing.flows if flow.name == name)


def _asks(text: str) -> bool:
    return any(token.text == "?" for token in fold(text).tokens)


def _parted(between: str) -> bool:
    """Whether something ends between a value and what follows: “25, y quiero ver mi saldo”."""
    return any(token.text in _PARTING for token in fold(between).tokens)


def _of_first_pass(command: SetSlot | CorrectSlot | ReopenSlot, standing: Standing) -> bool:
    """Whether pass 1 says it: what was asked for, and what changes; the rest is of pass 2."""
    return not isinstance(command, SetSlot) or standing.asked is None or command.path == standing.asked


_FEW = 6  # words of a message that says again what is held, and hardly anything else
_PARTING = frozenset((",", ".", ";", "!", "y", "e", "and", "pero", "mas", "but"))
