"""The pictures of flows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mew_agents.flows.definitions import diagram, parse, shipped
from mew_agents.flows.definitions.diagram import arrows

ORDER, ADDRESS, SURVEY = parse((Path(__file__).parent / "shop.yaml").read_bytes())


def test_every_way_is_drawn() -> None:
    for flow in (*shipped(), ORDER, ADDRESS, SURVEY):
        drawn = {(one.source, one.target if one.target in flow.program.steps else None) for one in arrows(flow)}
        for step in flow.program.steps:
            for target in flow.program.targets(step):
                assert (step, target) in drawn or step == "where"  # what becomes of a called flow is not drawn
        lines = diagram(flow).splitlines()
        edges = [line for line in lines if re.fullmatch(r'    \w+ -->(\|"[^"|]*"\|)? \w+', line)]
        assert len(edges) == len(list(arrows(flow))) + 1
        nodes = {match[1] for line in lines if (match := re.match(r"    (\w+)[\[({]", line))}
        assert {end for edge in edges for end in re.findall(r"\b(?:[se]_\w+|begin)\b", edge)} <= nodes


def test_what_each_step_does_is_told() -> None:
    drawn = diagram(ORDER)
    assert 's_what(["<b>what</b><br>asks for item: What?"])' in drawn
    assert 's_buy[["<b>buy</b><br>does shop/order, once<br>tries = result.number"]]' in drawn
    assert 's_sure -->|"no"| s_what' in drawn
    assert 's_dear -->|"price.amount #62; 100"| s_warning' in drawn
    assert "s_thanks --> e_flow_survey" in drawn


def test_the_text_is_the_file_in_words() -> None:
    assert diagram(ORDER, style="text", language="es") == TEXT.replace("VERSION", ORDER.version)


def test_what_means_something_to_mermaid_is_quoted() -> None:
    odd = 'flows: {odd: {title: {en: "a \\"b\\""}, steps: [{id: end_, say: {en: "<i>|\\"x\\"; #1 & y"}}]}}'
    drawn = diagram(parse(odd.encode())[0])
    assert 'title: "a \\"b\\" (' in drawn
    assert "says: #60;i#62;#124;#34;x#34;#59; #35;1 #38; y" in drawn


@pytest.mark.parametrize("style", ["mermaid", "text"])
def test_a_language_that_it_has_not(style: str) -> None:
    assert "What?" in diagram(ORDER, style=style)  # type: ignore[arg-type]
    assert "¿Qué?" in diagram(ORDER, style=style, language="pt")  # type: ignore[arg-type]


TEXT = """pedido (VERSION)

what  asks for item: ¿Qué?
how_many  asks for count: ¿Cuántos?
begin  tries = 0
again  repeats
    price is null and tries < 2, at most 3 times:
        counted  tries = tries + 1
        ask_price  calls shop/price; price = result.price
        counted_on  tries = tries
dear  decides
    price is null:
        no_price  says: No hay precio.
        given_up  ends failed
    price.amount > 100:
        warning  says: Es caro[: {price}].
    else:
where  has address done
sure  asks for a yes: ¿{count} {item}[, {note}]?
    no → what
buy  does shop/order, once; tries = result.number
    not done → sorry
thanks  goes on with survey
sorry  says: No se pudo.
undone  ends cancelled
"""
