"""English: in full, with please, and as one talks to friends."""

from __future__ import annotations

from typing import Final

from .phrasing import Phrasing, Tongue

TONGUE: Final = Tongue(
    openings={
        "ask": "<I would be glad to help|Happy to help>.",
        "good": "<Very good|Great>!",
        "calm": "<Please do not worry|No worries>.",
        "sorry": "<I am very sorry|I'm so sorry>.",
    },
    yes="yes",
    no="no",
    sentences={
        "courtesy": Phrasing(
            "I am <at your service|here for you>.[ I can help you with this: {operations}.]",
            "<At your service|Here for you>[: {operations}].",
        ),
        "no_intent": Phrasing(
            "I <did not|didn't> find an operation in your message.[ I can help you with this: {operations}.]",
            "<No operation was recognised|I didn't catch that>.[ You can ask for: {operations}.]",
        ),
        "no_operations": Phrasing(
            "For now there <is nothing that I can|isn't anything I can> do for you here.",
            "I <cannot|can't> do anything here.",
        ),
        "which_intent": Phrasing(
            "Your message may mean more than one thing. What <would you like|do you want> to do: {options}?",
            "<Which would you like|Which one>: {options}?",
        ),
        "no_evidence": Phrasing(
            "To begin ({title}), <please also name|also name>, all in one message: {labels}.[ For example: {example}.]",
            "{title.capital}: <please name|just name>, in one message, the {labels}.",
        ),
        "not_allowed": Phrasing(
            "You <are not|aren't> allowed to do that here[: {title}].",
            "<That is not|That's not> allowed[: {title}].",
        ),
        "conflict": Phrasing(
            "An operation is under way in this conversation already, so I <have not opened|didn't open> another "
            "({title}). Please ask again when it is over.",
            "Another one is under way. <Please ask|Ask> again later.",
        ),
        "conflict_elsewhere": Phrasing(
            "Another request about exactly the same is under way ({title}), so I <cannot|can't> go on. Please choose "
            "something else or try again later.",
            "Another one about the same is under way: {title}. <Please choose|Choose> something else.",
        ),
        "in_review": Phrasing(
            "I <have received|got> your request: {title}. A person will look at it before we go on.",
            "Your request <is being|gets> reviewed: {title}.",
        ),
        "reviewed": Phrasing(
            "A person looked at your request ({title}) and we <may|can> go on.",
            "Your request <has been accepted|is in>: {title}.",
        ),
        "review_declined": Phrasing(
            "A person looked at your request ({title}) and it <was not|wasn't> accepted.[ Reason: {reason}.]",
            "Your request <was not|wasn't> accepted: {title}.[ Reason: {reason}.]",
        ),
        "which_work": Phrasing(
            "You have several requests under way. Which one <do you refer to|do you mean>: {options}? Please reply to "
            "the message about it.",
            "<Which one, please|Which one>: {options}? Reply to its message.",
        ),
        "ask_slot": Phrasing(
            "{prompt}",
            "{prompt}",
        ),
        "ask_date": Phrasing(
            "All right: {value}. Which day <would suit you|works for you>?",
            "{value.capital}: <which day, please|what day>?",
        ),
        "ask_time": Phrasing(
            "All right: {value}. <What time would suit you|What time works for you>?",
            "{value.capital}: <at what time, please|what time>?",
        ),
        "ask_again": Phrasing(
            "I am afraid I <did not|didn't> understand your answer. {prompt}",
            "I <did not|didn't> get that. {prompt}",
        ),
        "ask_anew": Phrasing(
            "The time to answer my question is over, so <I would like to ask|I'll ask> it again. {prompt}",
            "<May I ask again|Asking again>: {prompt.small}",
        ),
        "confirm_slot": Phrasing(
            "I understood this ({label}): {value}. <Is that correct|Is that right>?[ If not, <please say|say> no: it "
            "may also be {others}.]",
            "<Do you mean|You mean> {value}?[ If not: {others}.]",
        ),
        "confirm_against": Phrasing(
            "This <is not|isn't> in the part of the day that you said, “{said}” ({label}): {value}. Is it meant?",
            "{value}, though <you have|you've> said “{said}”?",
        ),
        "confirm_execution": Phrasing(
            "This is what I am going to do: {summary}. <Do you confirm|OK>?",
            "{summary.capital}. <Do you confirm|OK>?",
        ),
        "what_to_change": Phrasing(
            "I <have not done|haven't done> anything.[ What <would you like|do you want> to change: {labels}?] If you "
            "no longer want it, please cancel.",
            "<What would you like to change|What to change>[: {labels}]?",
        ),
        "which_slot": Phrasing(
            "I heard {words}, and <I am|I'm> not sure what it is: {labels}?",
            "What is {words}<, please|>: {labels}?",
        ),
        "noted": Phrasing(
            "All right, <I have|I've> changed it: {values}.",
            "<I have|I've> changed it: {values}.",
        ),
        "put_off": Phrasing(
            "I do one thing at a time; this is not done yet, so <please ask|ask> for it afterwards: {titles}.",
            "Not done yet, <please ask|ask> later: {titles}.",
        ),
        "queued": Phrasing(
            "One thing first[ ({first})]; <I will do|I'll do> the other afterwards: {titles}.",
            "<I will do|I'll do> this afterwards: {titles}.",
        ),
        "next_wish": Phrasing(
            "And now the other thing that <you asked for|you wanted>: {title}.",
            "Now the other thing <you asked for|you wanted>: {title}.",
        ),
        "told_facts": Phrasing(
            "This is what I <am able to|can> tell ({label}):[ options: {options};][ days: {days};][ from "
            "{earliest};][ until {latest};][ at least {least};][ at most {most};] I know nothing else. {prompt}",
            "<To answer|Well> ({label}):[ options: {options};][ days: {days};][ from {earliest};][ until {latest};][ "
            "at least {least};][ at most {most};] no more. {prompt}",
        ),
        "told_purpose": Phrasing(
            "I <have to ask|ask> for it ({label}) because it is needed for this: {title}.[ {explained}] {prompt}",
            "<It is|It's> needed ({label}) for this: {title}.[ {explained}] {prompt}",
        ),
        "cannot_tell": Phrasing(
            "I <do not|don't> have that information, so I cannot give it here ({title}). {prompt}",
            "I <cannot|can't> tell ({title}). {prompt}",
        ),
        "ask_among": Phrasing(
            "I am <afraid|sorry> I do not know the one you named ({label}). You can choose {options}. {prompt}",
            "I <do not|don't> know that one ({label}). Choose {options}. {prompt}",
        ),
        "unused": Phrasing(
            "I <have not|haven't> used this, because it <is not|isn't> asked for here: {words}.",
            "<Not used|I didn't use this>: {words}.",
        ),
        "unplaced": Phrasing(
            "I <do not|don't> know what this is about, and <have not|haven't> used it: {words}.",
            "<Not used|I didn't use> {words}: I <do not|don't> know what it is about.",
        ),
        "choose_one": Phrasing(
            "<You have|You've> said “{words}”, and only one is needed ({label}).",
            "Only one of “{words}” <is|'s> needed ({label}).",
        ),
        "whether_to_cancel": Phrasing(
            "<Would you like|Do you want> to cancel this: {title}?",
            "<Shall I cancel|Cancel>[: {title}]?",
        ),
        "maybe_unwanted": Phrasing(
            "If <you would like|you want> me to drop this, please say cancel[: {title}].",
            "To drop it, <please say|say> cancel.",
        ),
        "person_called": Phrasing(
            "<Very well|All right>: a person will go on with you[: {title}]. If you no longer want it, you can still "
            "cancel.",
            "A person <will|is going to> go on with you[: {title}].",
        ),
        "immutable_slot": Phrasing(
            "This <can no longer|can't> be changed: {label}, {value}. If it is another, please cancel and begin again.",
            "You <cannot|can't> change this: {label}.",
        ),
        "frozen_executing": Phrasing(
            "I am already doing what you confirmed and <cannot|can't> change it now[: {summary}].",
            "It is under way; it <cannot|can't> be changed.",
        ),
        "nothing_to_confirm": Phrasing(
            "There <is nothing|isn't anything> for you to confirm, so I changed nothing.",
            "<There is nothing|There's nothing> to confirm.",
        ),
        "which_question": Phrasing(
            "Several questions are open. Which one <would that answer|is that for>: {options}? Please reply to the "
            "message that asks it.",
            "<Which question, please|Which question>: {options}? Reply to its message.",
        ),
        "question_closed": Phrasing(
            "That question <is already|was already> closed, so your answer changed nothing.",
            "That question <is already|is> closed.",
        ),
        "question_expired": Phrasing(
            "The time to answer that question is over, so your answer <has changed|changed> nothing.",
            "That question <has expired|expired>.",
        ),
        "expired": Phrasing(
            "Too much time went by and I <have closed|closed> your request without doing anything: {title}. If you "
            "still want it, please ask again.",
            "Your request <has expired|expired>: {title}.",
        ),
        "expired_asking": Phrasing(
            "Too much time went by and I <have closed|closed> your request without doing anything: {title}. If you "
            "still want it, please answer yes to my last question.",
            "Your request <has expired|expired>: {title}. Answer yes to reopen it.",
        ),
        "reopened": Phrasing(
            "Your request had expired, and with your answer <I have opened|I opened> it again: {title}.",
            "Your request <has been reopened|is open again>: {title}.",
        ),
        "invalid_form": Phrasing(
            "That <does not|doesn't> have the form that is expected ({label}: {value}).",
            "Wrong form ({label}). <Please write it again|Try again>.",
        ),
        "invalid_no_such": Phrasing(
            "There <is no|isn't any> {value} ({label}).",
            "<There is no|There's no> {value}.",
        ),
        "invalid_pattern": Phrasing(
            "That <does not|doesn't> look as expected ({label}: {value}).[ It looks like {example}.]",
            "<That is not|That's not> one ({label}: {value}).[ Like {example}.]",
        ),
        "invalid_future": Phrasing(
            "<That is|That's> still to come ({label}: {value}). I need a time in the past.",
            "<That is still|Still> to come: {value}. When was it, please?",
        ),
        "invalid_past": Phrasing(
            "<That is|That's> already past ({label}: {value}). I need a time in the future.",
            "<That is past|That's past>: {value}. Another time, please.",
        ),
        "invalid_too_far": Phrasing(
            "<That is too|That's too> far ahead ({label}: {value}). I can go up to {limit}.",
            "<That is too far|Too far>: {value}. Up to {limit}, please.",
        ),
        "invalid_weekday": Phrasing(
            "That day <is not|isn't> possible ({label}: {value}). You can choose {days}.",
            "Not that day: {value}. <Please choose|Choose> {days}.",
        ),
        "invalid_hours": Phrasing(
            "That time <is not|isn't> possible ({label}: {value}). You can choose one[ from {earliest}][ up to "
            "{latest}].",
            "Not that time: {value}. <Please choose|Choose> another[ from {earliest}][ up to {latest}].",
        ),
        "invalid_too_small": Phrasing(
            "That <is not|isn't> enough ({label}: {value}). The least is {limit}.",
            "<That is too little|Too little>: {value}. At least {limit}, please.",
        ),
        "invalid_too_big": Phrasing(
            "<That is too|That's too> much ({label}: {value}). The most is {limit}.",
            "<That is too much|Too much>: {value}. At most {limit}, please.",
        ),
        "invalid_too_short": Phrasing(
            "<That is too|That's too> short ({label}). At least {limit} characters are needed.",
            "<That is too short|Too short>. At least {limit} characters, please.",
        ),
        "invalid_too_long": Phrasing(
            "<That is too|That's too> long ({label}). At most {limit} characters fit.",
            "<That is too long|Too long>. At most {limit} characters, please.",
        ),
        "invalid_currency": Phrasing(
            "I <cannot|can't> accept that currency ({label}: {value}). I accept {currencies}.",
            "Not that currency: {value}. <Please use|Use> {currencies}.",
        ),
        "invalid_unknown": Phrasing(
            "I <do not|don't> know that one ({label}: {value}).[ You can choose {options}.]",
            "<That is not known|Don't know that one>: {value}. Another, please[: {options}].",
        ),
        "executing": Phrasing(
            "I am working on it[: {summary}]. <I will|I'll> let you know as soon as it is done.",
            "Under way[: {summary}]. <I will let you know|I'll tell you>.",
        ),
        "retrying": Phrasing(
            "It <has not|hasn't> worked yet ({summary}). I am trying again and will let you know.",
            "Trying again, <I will let you know|I'll tell you>: {summary}.",
        ),
        "proposed": Phrasing(
            "A person has to approve this before I do it: {summary}. <I will let you know|I'll let you know> what "
            "they say.",
            "Waiting for approval: {summary}. <I will let you know|I'll tell you>.",
        ),
        "declined": Phrasing(
            "A person <has not approved|said no to> what you asked for: {summary}.[ Reason: {reason}.] Nothing was "
            "done.",
            "Your request <has not been|wasn't> approved: {summary}.[ Reason: {reason}.]",
        ),
        "completed": Phrasing(
            "<I confirm that it is done|It's done>: {summary}.[ {detail.capital}.][ This could not be done: {undone}.]",
            "<Confirmed|Done>: {summary}.[ {detail.capital}.][ Not done: {undone}.]",
        ),
        "failed": Phrasing(
            "I <could not|couldn't> do what you asked for: {summary}.[ Reason: {reason}.] Nothing was done.",
            "Your request <has failed|failed>: {summary}.[ Reason: {reason}.]",
        ),
        "failed_partly": Phrasing(
            "I <could do only|only managed> a part of what you asked for ({summary}).[ Done: {done}.][ "
            "{detail.capital}.][ Not done: {undone}.][ Reason: {reason}.]",
            "<Only a part was done|Only partly done>.[ Done: {done}.][ {detail.capital}.][ Not done: {undone}.][ "
            "Reason: {reason}.]",
        ),
        "in_doubt": Phrasing(
            "I <do not|don't> know for certain whether this was done: {summary}. I will not repeat it; a person is "
            "checking and we will let you know.",
            "Not certain: {summary}. I <will not|won't> repeat it; we will let you know.",
        ),
        "confirm_undo": Phrasing(
            "This is done already: {summary}. <Would you like me to|Shall I> undo it?[ This stays: {standing}.] If "
            "you only want to change it, I undo it and you ask for it again.",
            "<Would you like me to|Shall I> undo this: {summary}?[ This stays: {standing}.]",
        ),
        "confirm_change": Phrasing(
            "This is done already: {summary}. <Would you like me to|Shall I> undo it?[ This stays: {standing}.] Then "
            "I ask you about this instead: {instead}.",
            "<Would you like me to|Shall I> undo this: {summary}?[ This stays: {standing}.] Next comes this: "
            "{instead}.",
        ),
        "stands": Phrasing(
            "<This is done|Here is what is done>: {summaries}.",
            "<It stands|Stands>: {summaries}.",
        ),
        "none_stands": Phrasing(
            "I <do not|don't> find anything of yours here: {titles}.",
            "<There is nothing|Nothing> of yours here: {titles}.",
        ),
        "left_as_is": Phrasing(
            "<I leave it as it is|I'll leave it as it is>: {summary}.",
            "<It stays|Stays> as it is: {summary}.",
        ),
        "undone": Phrasing(
            "<I have undone|I undid> what you had asked for: {summary}.[ This stands: {standing}.]",
            "<It has been undone|Undone>: {summary}.[ This stands: {standing}.]",
        ),
        "undoing": Phrasing(
            "I <have not|haven't> managed to undo what you had asked for yet: {summary}. I am trying again and will "
            "let you know.",
            "Still undoing it, <I will let you know|I'll tell you>: {summary}.",
        ),
        "undoing_proposed": Phrasing(
            "A person has to approve that I undo what you had asked for: {summary}. <I will|I'll> let you know.",
            "Undoing it awaits approval: {summary}. <I will let you know|I'll tell you>.",
        ),
        "undoing_in_doubt": Phrasing(
            "I <do not|don't> know for certain whether this was undone: {summary}. A person is checking and we will "
            "let you know.",
            "Not certain that it <has been|was> undone: {summary}. We will let you know.",
        ),
        "undoing_failed": Phrasing(
            "I <could not|couldn't> undo what you had asked for: {summary}.[ Reason: {reason}.] A person will look at "
            "it.",
            "It <could not|couldn't> be undone: {summary}.[ Reason: {reason}.] A person will look at it.",
        ),
        "undone_partly": Phrasing(
            "I <could undo only|only undid> a part of what you had asked for ({summary}). Undone: {undone}. Not "
            "undone: {standing}.[ Reason: {reason}.] A person will look at it.",
            "<Only a part has been undone|Only partly undone>: {summary}. Undone: {undone}. Not undone: {standing}.["
            " Reason: {reason}.] A person will look at it.",
        ),
        "cancelled": Phrasing(
            "<I have cancelled|I cancelled> your request: {title}. Nothing was done.",
            "Your request <has been|is> cancelled: {title}.",
        ),
        "cancelled_partly": Phrasing(
            "I <have cancelled|cancelled> the rest of your request: {title}.[ Done already: {done}.][ Not done: "
            "{undone}.]",
            "<Your request has been|Your request is> partly cancelled.[ Done: {done}.][ Not done: {undone}.]",
        ),
        "cancel_requested": Phrasing(
            "The cancellation is noted ({title}). <I will|I'll> finish what is under way and tell you how it ended.",
            "Cancelling noted: {title}. <I will let you know|I'll tell you>.",
        ),
        "cancel_refused_executing": Phrasing(
            "I <could not|couldn't> cancel this, because it was already under way: {title}.",
            "It <could not|couldn't> be cancelled any more: {title}.",
        ),
        "cancel_not_allowed": Phrasing(
            "This operation <cannot|can't> be cancelled here: {title}.",
            "You <cannot|can't> cancel this: {title}.",
        ),
        "nothing_to_cancel": Phrasing(
            "You have nothing under way that <could|can> be cancelled.",
            "<There is nothing|There's nothing> to cancel.",
        ),
        "status_none": Phrasing(
            "You <do not|don't> have any operation under way.",
            "<There is nothing|There's nothing> under way.",
        ),
        "status_waiting": Phrasing(
            "Your request ({title}) <is waiting|waits> for your answer. {prompt}",
            "<It awaits|I need> your answer. {prompt}",
        ),
        "status_executing": Phrasing(
            "<I am working|I'm working> on your request: {summary}.",
            "<It is under way|Under way>: {summary}.",
        ),
        "status_in_doubt": Phrasing(
            "I <do not|don't> know yet for certain whether your request was done: {summary}. A person is checking.",
            "Your request <is being|gets> checked: {summary}.",
        ),
        "status_suspended": Phrasing(
            "Your request <is on hold|waits> until a person looks at it: {title}.",
            "<It is on hold|On hold>: {title}.",
        ),
        "status_completed": Phrasing(
            "Your last request <has been|is> done: {summary}.[ Not done: {undone}.]",
            "<It has been done|Done>: {summary}.",
        ),
        "status_failed": Phrasing(
            "Your last request <could not|couldn't> be done: {summary}.[ Reason: {reason}.]",
            "<It has failed|It failed>: {summary}.[ Reason: {reason}.]",
        ),
        "status_expired": Phrasing(
            "Your last request <has expired|expired> before anything was done: {title}.",
            "<It has expired|It expired>: {title}.",
        ),
        "status_cancelled": Phrasing(
            "Your last request <has been|was> cancelled: {title}.",
            "<It has been cancelled|Cancelled>: {title}.",
        ),
        "needs_human": Phrasing(
            "I <cannot make|can't make> sense of your answers, so a person will go on with you[: {title}]. If you no "
            "longer want it, you can still cancel.",
            "A person <will assist|will help> you[: {title}]. You can still cancel.",
        ),
        "halted": Phrasing(
            "Everything is on hold for now[: {title}]. Nothing is lost; <I will|I'll> let you know when it goes on.",
            "On hold for now. <I will|I'll> let you know.",
        ),
        "duplicate": Phrasing(
            "Another message of yours had the same id and other content, so <I have done|I did> nothing with this one.",
            "Your message repeats an id; <I have done|I did> nothing.",
        ),
        "unreadable": Phrasing(
            "I <could not|couldn't> read your message. Please send it again as text of at most 10,000 characters.",
            "<Please send text|Text, please>: at most 10,000 characters.",
        ),
        "unavailable": Phrasing(
            "I <cannot|can't> take your message right now. Please try again in a few minutes; nothing was done.",
            "Not available now. <Please try again|Try again> later.",
        ),
        "suggestion": Phrasing(
            "<I would suggest|I'd suggest> this answer: {text}",
            "<Suggested answer|Suggestion>: {text}",
        ),
        "off": Phrasing(
            "Automatic answers <are switched|are> off in your account, so I do nothing.",
            "<It is switched off|Off> in your account.",
        ),
    },
)
