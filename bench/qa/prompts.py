"""The prompts. They show and ask what the published ones do, in words of our own: LoCoMo is
CC BY-NC, and BEAM and MemDaily are published without a license.
"""

from __future__ import annotations

from typing import Final

ANSWER: Final = {
    "en": "{context}\n\nAnswer the question from what stands above, briefly. Where it is not there,"
    " say that you do not know.\n\nToday is {at}.\nQuestion: {question}\nAnswer:",
    "zh": "{context}\n\n请根据以上内容简短地回答问题；没有提到的，就说不知道。\n\n"
    "现在的时间是 {at}。\n问题：{question}\n回答：",
}
JUDGE: Final = {
    "en": "Here are a question, its right answer, and the answer somebody gave. Is the given answer"
    " right? Other words, more detail and another way to write a date or a number are right; an"
    " answer that lacks a part of the right one is not.\n\nQuestion: {question}\n"
    "Right answer: {answer}\nGiven answer: {reply}\n\nReply with yes or no only.",
    "zh": "下面有一个问题、它的正确答案和某人给出的回答。这个回答正确吗？换一种说法、说得更详细、"
    "日期或数字写法不同，都算正确；缺少正确答案的一部分则不算。\n\n问题：{question}\n"
    "正确答案：{answer}\n给出的回答：{reply}\n\n只回复 yes 或 no。",
}

LOCOMO_ANSWER: Final = (
    "{context}\n\nFrom what stands above, answer the question with a short phrase. Use the very"
    " words of the conversation where you can.\n\nQuestion: {question}\nShort answer:"
)
LOCOMO_DATE: Final = " Go by the date of the conversation and give an approximate date."
LOCOMO_CHOICE: Final = (
    "{context}\n\nFrom what stands above, answer the question.\n\n"
    "Question: {question} Choose the right answer: (a) {a} (b) {b}.\nShort answer:"
)

LONGMEMEVAL_ANSWER: Final = (
    "These are parts of earlier chats between you and a user. Answer the user's question from the"
    " parts that bear on it.\n\n\nEarlier chats:\n\n{context}\n\n"
    "Current date: {at}\nQuestion: {question}\nAnswer:"
)
_SHOWN: Final = (
    "\n\nQuestion: {question}\n\n{label}: {answer}\n\nResponse: {reply}\n\n{ask} Reply with yes or"
    " no only."
)
_CORRECT: Final = "Is the response correct?"
_CONTAINS: Final = (
    "Here are a question, its correct answer and the response of a model. Reply yes if the response"
    " contains the correct answer, says the same in other words, or holds every step that leads to"
    " it. Reply no if it holds only a part of what the answer asks for."
)
_DAYS: Final = (
    " A count of days, weeks or months that is off by one is correct as well, such as 19 days for"
    " 18."
)
_UPDATED: Final = (
    "Here are a question, its correct answer and the response of a model. Reply yes if the response"
    " contains the correct answer. A response that also mentions what was true before is correct as"
    " long as the updated answer is the one asked for."
)
_PREFERENCE: Final = (
    "Here are a question, a description of the personal response that is wanted, and the response"
    " of a model. Reply yes if the response meets the description. It need not reflect every point;"
    " it is correct as long as it recalls the user's own information and uses it rightly."
)
_ABSTAIN: Final = (
    "Here are a question that cannot be answered, the reason, and the response of a model. Reply"
    " yes if the response recognizes that the question cannot be answered. It may say that the"
    " information is incomplete, or that other information is there and this is not."
)


def longmemeval_judge(category: str, answerable: bool) -> str:
    """The judge's prompt for a type of question, with places for question, answer and reply."""
    if not answerable:
        task, label, ask = _ABSTAIN, "Reason", "Does the response recognize that?"
    elif category == "single-session-preference":
        task, label, ask = _PREFERENCE, "Description", _CORRECT
    elif category == "knowledge-update":
        task, label, ask = _UPDATED, "Correct answer", _CORRECT
    else:
        task, label, ask = _CONTAINS, "Correct answer", _CORRECT
        task += _DAYS if category == "temporal-reasoning" else ""
    return task + _SHOWN.replace("{label}", label).replace("{ask}", ask)


BEAM_ANSWER: Final = (
    "Answer the question from the context below and from nothing else; what you know yourself does"
    " not count.\n\nContext:\n{context}\n\nQuestion:\n{question}\n\nBe direct and brief. Give the"
    " answer alone, without an explanation.\n\nAnswer:"
)
BEAM_JUDGE: Final = (
    "Judge whether a response meets one criterion.\n\nQuestion: {question}\n"
    "Criterion: {criterion}\nResponse: {reply}\n\n"
    "The criterion asks for something that has to be there, or for something that must not be"
    " there. A response that does not address the question gets 0, also where what must not be"
    " there is absent. Go by the meaning: other words, other ways to write a number, a sum or a"
    " date, tone and length make no difference unless the criterion asks for a form.\n\n"
    "score 1.0: the criterion is met in full. score 0.5: in part, as where one of several things is"
    " missing or slightly wrong. score 0.0: it is not met.\n\n"
    'Reply with a JSON object: {{"score": 1.0, 0.5 or 0.0, "reason": "why"}}.'
)
BEAM_SAME: Final = (
    "Do these two texts name the same event or fact?\n\nFirst: {first}\n\nSecond: {second}\n\n"
    "Reply with yes or no only."
)

MEMDAILY_ANSWER: Final = (
    "[用户消息]\n{context}\n\n[单选题] {question}\n{choices}\n现在的时间是 {at}\n"
    "请根据[用户消息]选出[单选题]的正确答案，只输出选项的字母，不要输出其他内容。例如：A"
)
