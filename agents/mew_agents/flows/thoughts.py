"""What a run thinks aloud: what happened to a flow, in words for whoever watches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from mew_agents.flows.effects import Act, AnyEffect, Ask, Finished, Open, Page, Started, Stepped
from mew_agents.flows.events import AnyEvent, EffectInDoubt, Suspended, name_of
from mew_agents.flows.state import Dialogue
from mew_agents.fluxi.ports import RunOutcome, Thought
from mew_agents.language.found import Language
from mew_agents.phrasebook import Phrasebook


class Happened(NamedTuple):
    """An event, what came of it, and the dialogue before and after it."""

    event: AnyEvent
    effects: tuple[AnyEffect, ...]
    before: Dialogue
    after: Dialogue


_WORDS: Final = Phrasebook(
    {
        "started": {
            "en": "The flow {flow} begins",
            "es": "Comienza el flujo {flow}",
            "pt": "Começa o fluxo {flow}",
        },
        "stepped": {"en": "{flow}: {step}", "es": "{flow}: {step}", "pt": "{flow}: {step}"},
        "ask": {
            "en": "{flow} asks and waits: {step}",
            "es": "{flow} pregunta y espera: {step}",
            "pt": "{flow} pergunta e espera: {step}",
        },
        "act": {
            "en": "{flow} asks {tool}",
            "es": "{flow} consulta a {tool}",
            "pt": "{flow} consulta {tool}",
        },
        "open": {
            "en": "{flow}: confirmed, the effect {step} is to happen, once",
            "es": "{flow}: confirmado, el efecto {step} ha de ocurrir, una sola vez",
            "pt": "{flow}: confirmado, o efeito {step} deve acontecer, uma só vez",
        },
        "completed": {"en": "{flow} is done", "es": "{flow}: hecho", "pt": "{flow}: feito"},
        "cancelled": {"en": "{flow} is cancelled", "es": "{flow}: cancelado", "pt": "{flow}: cancelado"},
        "failed": {"en": "{flow} has failed", "es": "{flow}: fallido", "pt": "{flow}: falhou"},
        "page": {
            "en": "A person is wanted: {step}",
            "es": "Se pide una persona: {step}",
            "pt": "Pede-se uma pessoa: {step}",
        },
        "in_doubt": {
            "en": "Nobody can tell whether the effect happened",
            "es": "Nadie puede decir si el efecto ocurrió",
            "pt": "Ninguém sabe dizer se o efeito aconteceu",
        },
        "suspended": {"en": "Suspended: {step}", "es": "Suspendido: {step}", "pt": "Suspenso: {step}"},
    }
)


def thoughts(happened: Iterable[Happened], language: Language) -> Iterator[Thought]:
    """A thought for each thing that came of events, in order."""
    for one in happened:
        names = {frame.flow_id: frame.name for frame in (*one.before.stack, *one.after.stack)}
        for effect in one.effects:
            thought = _about(effect, names, language)
            if thought is not None:
                yield thought
        if isinstance(one.event, EffectInDoubt):
            subject = next(
                (f.flow_id for f in one.after.stack if f.acting and f.acting.work_id == one.event.work_id), None
            )
            payload = {"event": name_of(one.event)}
            yield Thought(text=_WORDS.say("in_doubt", language), subject=subject, payload=payload, outcome="in_doubt")
        elif isinstance(one.event, Suspended):
            text = _WORDS.say("suspended", language, step=one.event.reason)
            yield Thought(text=text, payload={"event": name_of(one.event)}, outcome="waiting")


def _about(effect: AnyEffect, names: dict[str, str], language: Language) -> Thought | None:
    match effect:
        case Started(flow_id=flow_id, name=name):
            return _thought("started", flow_id, language, flow=name, outcome="waiting")
        case Stepped(flow_id=flow_id, step=step):
            return _thought("stepped", flow_id, language, flow=names.get(flow_id, ""), step=step)
        case Ask(flow_id=flow_id, step=step):
            return _thought("ask", flow_id, language, flow=names.get(flow_id, ""), step=step, outcome="waiting")
        case Act(flow_id=flow_id, step=step, tool=tool):
            return _thought("act", flow_id, language, flow=names.get(flow_id, ""), step=step, tool=tool)
        case Open(flow_id=flow_id, step=step):
            return _thought("open", flow_id, language, flow=names.get(flow_id, ""), step=step)
        case Finished(flow_id=flow_id, name=name, outcome=outcome, why=why):
            told = {} if why is None else {"why": why}
            return _thought(outcome, flow_id, language, flow=name, outcome=outcome, **told)
        case Page(text=text):
            return Thought(text=_WORDS.say("page", language, step=text), payload={"event": "page"})
        case _:
            return None


def _thought(key: str, flow_id: str, language: Language, *, outcome: RunOutcome | None = None, **told: Any) -> Thought:
    payload = {"event": key, **{name: value for name, value in told.items() if name != "flow"}, "flow": told["flow"]}
    return Thought(text=_WORDS.say(key, language, **told), subject=flow_id, payload=payload, outcome=outcome)
