"""English: in full and in short forms."""

from __future__ import annotations

from typing import Final

from mew_agents.fluxi.replies.sentences.phrasing import Phrasing

SENTENCES: Final = {
    "flow_completed": Phrasing(
        "<We are all finished|We're all done>: {title}.",
        "<Finished|Done>: {title}.",
    ),
    "flow_cancelled": Phrasing(
        "I <have cancelled|cancelled> what you asked for: {title}. Nothing was done.",
        "<It has been cancelled|Cancelled>: {title}.",
    ),
    "flow_cancelled_partly": Phrasing(
        "I <did not|didn't> go on with what you asked for: {title}. This was done already: {done}.",
        "<It has been cancelled|Cancelled>: {title}. Done already: {done}.",
    ),
    "flow_failed": Phrasing(
        "I <could not|couldn't> finish what you asked for: {title}.[ Reason: {reason}.]",
        "<It was not possible|That didn't work>: {title}.[ Reason: {reason}.]",
    ),
    "flow_failed_partly": Phrasing(
        "I <could not|couldn't> finish what you asked for: {title}. This was done: {done}.[ Reason: {reason}.]",
        "<It was not finished|That didn't finish>: {title}. Done: {done}.[ Reason: {reason}.]",
    ),
    "all_cancelled": Phrasing(
        "I <have cancelled|cancelled> everything you had open: {titles}.",
        "<Everything has been cancelled|All cancelled>: {titles}.",
    ),
    "closed_by_operator": Phrasing(
        "Somebody on our team <has cancelled|cancelled> what you asked for: {title}.[ Reason: {reason}.]",
        "Our team <has cancelled|cancelled> this: {title}.[ Reason: {reason}.]",
    ),
    "question_cancelled": Phrasing(
        "That question was closed when the operation was cancelled ({title}), so your answer <has changed|changed> "
        "nothing.",
        "Your answer <has changed|changed> nothing: it was cancelled ({title}).",
    ),
    "question_superseded": Phrasing(
        "That question <is no longer|isn't> open, so your answer changed nothing.[ {prompt}]",
        "That question <is no longer|isn't> open.[ {prompt}]",
    ),
    "question_not_out": Phrasing(
        "Your message came before my question, so I <did not|didn't> take it as an answer.[ {prompt}]",
        "Your message <had come|came> before this.[ {prompt}]",
    ),
    "not_yours": Phrasing(
        "That question is for somebody else, so your answer <has changed|changed> nothing.",
        "That question <is not|isn't> for you.",
    ),
    "not_understood": Phrasing(
        "I am sorry, I <did not|didn't> understand your message.[ {prompt}]",
        "I <did not|didn't> understand.[ {prompt}]",
    ),
    "yes_or_no": Phrasing(
        "<Please answer with a yes or a no|I need a yes or a no from you>.[ {prompt}]",
        "<Please say yes|Say yes> or no.[ {prompt}]",
    ),
    "digression_denied": Phrasing(
        "<Let us first finish|Let's first finish> what you asked for: {title}.[ {prompt}]",
        "<Let us finish|Let's finish> this first.[ {prompt}]",
    ),
    "already_under_way": Phrasing(
        "<We are|We're> already on what you are asking for: {title}.[ {prompt}]",
        "<That is|That's> already under way.[ {prompt}]",
    ),
    "back_to": Phrasing(
        "<Let us|Let's> go back to what you had asked for: {title}.[ {prompt}]",
        "<Let us|Let's> go on: {title}.[ {prompt}]",
    ),
    "corrected": Phrasing(
        "I <have noted|noted> the change ({label}): {value}.",
        "<It has been changed|Changed>: {value}.",
    ),
    "emptied": Phrasing(
        "I <have removed|removed> this, as you asked: {label}.",
        "<It has been removed|Removed>: {label}.",
    ),
    "change_what": Phrasing(
        "What <would you like|do you want> to change: {labels}? If you no longer want it, please cancel.[ {prompt}]",
        "<What would you like to change|What to change>: {labels}?[ {prompt}]",
    ),
    "say_new_value": Phrasing(
        "What is the new value ({label})? <Please say it|Say it> with its name.[ {prompt}]",
        "<Please tell me the new value|The new value>: {label}.[ {prompt}]",
    ),
    "no_answer": Phrasing(
        "<I do not have that information|I don't have that information>, so I cannot answer.[ {prompt}]",
        "<I do not know|I don't know>.[ {prompt}]",
    ),
    "left_out": Phrasing(
        "<I did not use|I didn't use> this ({words}). If it matters, please say it again.[ {prompt}]",
        "<Please repeat what I did not use|Repeat what I didn't use>: {words}.[ {prompt}]",
    ),
    "only_now": Phrasing(
        "I can do it only now, and only once, <not as you have asked|not as you asked> ({words}).[ {prompt}]",
        "It is possible only now and once, <not as you have said|not as you said>: {words}.[ {prompt}]",
    ),
    "second_wish": Phrasing(
        "You <have also asked|also asked> for this ({words}): {titles}. We will do it afterwards.[ {prompt}]",
        "<We will do the other later|We'll do the other later> ({words}): {titles}.[ {prompt}]",
    ),
    "waits_below": Phrasing(
        "First <I need your answer to this|I need this>: {first}. I will ask about the other afterwards: {after}."
        "[ {prompt}]",
        "<Let us finish this first|Let's finish this first>: {first}.[ {prompt}]",
    ),
    "waiting": Phrasing(
        "<Please take your time|Take your time>, I will wait.[ {prompt}]",
        "<I will wait|I'll wait>.[ {prompt}]",
    ),
    "next_flow": Phrasing(
        "Now the other thing <that you have asked for|you asked for> ({words}): {titles}.[ {prompt}]",
        "<Let us go on|Let's go on>: {titles}.[ {prompt}]",
    ),
    "nothing_to_correct": Phrasing(
        "I <could not|couldn't> tell what you want to change.[ {prompt}]",
        "<What would you like to change|What to change>?[ {prompt}]",
    ),
    "too_late_to_correct": Phrasing(
        "That has been used already and <cannot|can't> be changed now ({label}: {value}).",
        "You <can no longer|can't> change this: {label}.",
    ),
    "already_done": Phrasing(
        "What you ask for <has been|is> done already: {title}. I did not repeat it.",
        "<It has been done|Done> already: {title}.",
    ),
    "done_before": Phrasing(
        "This <has been|is> done already, and I cannot change or cancel it here: {title}. If you need to, "
        "ask for a person.",
        "<It has been done|Done> already, and cannot be changed here: {title}.",
    ),
    "invalid_check": Phrasing(
        "I <cannot|can't> accept what you said ({label}: {value}).[ {message}]",
        "<That is not valid|That won't do>: {value}.[ {message}]",
    ),
    "clarify_slot": Phrasing(
        "<Let me explain|I'll explain>: I need this to go on ({label})[: {title}].[ {explain}][ {prompt}]",
        "<This is needed|I need this>: {label}.[ {explain}][ {prompt}]",
    ),
    "slot_options": Phrasing(
        "<You may choose|You can choose>: {options}.[ {prompt}]",
        "<Please choose|Choose>: {options}.[ {prompt}]",
    ),
    "slot_bounds": Phrasing(
        "The limits that <I am able to accept|I can accept> ({label}):[ from {least}][ up to {most}].[ {prompt}]",
        "<Limits, please|Limits>:[ from {least}][ up to {most}].[ {prompt}]",
    ),
    "clarify_confirm": Phrasing(
        "<Let me explain|I'll explain>: with a yes I do what follows; with a no, nothing is done.[ {prompt}]",
        "With your yes <I will|I'll> do it; without it, not.[ {prompt}]",
    ),
    "chit_chat": Phrasing(
        "<It is a pleasure to help|Happy to help>.[ {prompt}]",
        "<With pleasure|Sure>.[ {prompt}]",
    ),
    "handoff": Phrasing(
        "<I am|I'm> putting you through to a person[, who will go on with this: {title}]. Until then I do nothing on "
        "my own.",
        "A person <is going to|will> answer you[: {title}].",
    ),
    "handoff_noted": Phrasing(
        "<I have noted that you would like to talk to a person|I noted that you want to talk to a person>."
        "[ Until then I can help you with this: {operations}.]",
        "<I have noted that you want a person|Noted: you want a person>.",
    ),
    "handed_off_waiting": Phrasing(
        "A person has to answer your message; <I have let them know|I've let them know> that you are waiting.",
        "A person <is going to|will> answer you.",
    ),
    "suspended": Phrasing(
        "What you asked for is on hold until a person <has looked|looks> at it[: {title}].",
        "<It is on hold|On hold>[: {title}].",
    ),
    "action_failed": Phrasing(
        "I <could not|couldn't> get this done for you: {label}.[ Reason: {reason}.]",
        "<It was not possible|That didn't work>: {label}.[ Reason: {reason}.]",
    ),
    "busy": Phrasing(
        "I am still working on what you asked for[: {title}]. <I will|I'll> let you know as soon as it is done.",
        "Under way[: {title}]. <I will let you know|I'll tell you>.",
    ),
}
