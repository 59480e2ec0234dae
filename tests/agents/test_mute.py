"""The mute: no answer, no stop, and the gateway puts it on record."""

from __future__ import annotations

from mew_agents.mute import Mute, MuteOptions


async def test_it_goes_on_and_the_deadline_passes(site, attend):
    human = await site.join("human")
    async with attend(Mute(MuteOptions(every=1)), site, human):
        await human.send("chat", {"text": "think"}, to=["agent"])
        run = (await human.until("reasoning/start"))["id"]
        await human.send("reasoning/interrupt", {"reason": "user_request"}, id="i1", to=["agent"], correlation_id=[run])
        await human.until("reasoning/interrupt")
        for _ in range(5):
            assert (await human.until("reasoning/thought"))["context"] == run
        await site.pass_time(30_000)
        timeout = await human.until("system/error", error="interrupt_ack_timeout")
        assert timeout["payload"]["interrupt_id"] == "i1"
        await human.until("reasoning/thought")
        assert not [one for one in human.seen if one["kind"] == "reasoning/interrupt-ack"]


async def test_words_do_not_stop_it_either(site, attend):
    human = await site.join("human")
    async with attend(Mute(MuteOptions(every=1)), site, human):
        await human.send("chat", {"text": "think"}, to=["agent"])
        run = (await human.until("reasoning/start"))["id"]
        await human.send("chat", {"text": "stop!"}, to=["agent"])
        assert (await human.until("reasoning/start"))["id"] != run  # one more thing to think about
        while (await human.until("reasoning/thought"))["context"] != run:
            pass
        assert not [one for one in human.seen if one["kind"] in ("chat/acknowledge", "reasoning/conclusion")]
