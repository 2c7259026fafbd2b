"""The engine's own words on the screen, and its errors, in the language of the chat."""

from __future__ import annotations

from collections.abc import Mapping

from recollect import errors
from recollect.cli.chat.messages import Language
from recollect.settings.vocabulary import Words
from recollect.types import Json, Kind

_ZH: Mapping[str, str] = {
    # kinds
    "identity": "身份", "preference": "偏好", "rule": "规则", "config": "配置",
    "credential": "凭证", "fact": "事实", "decision": "决定", "skill": "技能",
    "lesson": "教训", "event": "事件", "trait": "特质", "temp": "临时",
    # records and who speaks
    "memory": "记忆", "turn": "对话", "episode": "情节", "attachment": "文件", "session": "会话",
    "daily event": "日记", "card": "卡片", "user": "用户", "assistant": "助手", "tool": "工具",
    "owner": "主人", "agent": "助手", "external": "外部",
    "rewritten": "改写", "emptied": "清空", "renamed": "改名",
    # parts of a prompt
    "guide": "指引", "system": "系统", "persona": "人格", "runtime": "环境", "rules": "规则",
    "cards": "卡片", "scratchpad": "草稿板", "core": "核心记忆", "evidence": "证据",
    "recent": "最近的对话", "catalogs": "目录", "reply": "回复",
    # what was left out, and why
    "shortened to fit": "为放下而缩短", "no room in its section": "该部分放不下",
    "this preset has no such section": "此预设没有这一部分",
    "the budget is smaller than what is never cut": "预算小于必须保留的部分",
    "compressed into the summary": "已压缩进概述",
    "a credential is never put into a prompt": "凭证从不放进提示",
    "already in the host's prompt": "提示中已有",
    "what was learnt from it no longer holds": "由它学到的已不成立",
    # why something is forgotten
    "it has the words": "含有这些词语", "it was named": "被点名", "it quotes it": "引用了它",
    "it tells of it": "提到了它", "it says the same": "说的是同一件事",
    "it was learnt from what is forgotten": "从被忘记的内容学到",
    "it was made of what is forgotten": "由被忘记的内容整理而成",
    "it sums up what is forgotten": "概括了被忘记的内容",
    "it is about what is forgotten": "关于被忘记的内容",
    "it has words that only the forgotten turns have": "含有只在被忘记的对话中出现的词",
    "the memory was learnt from it": "这条记忆由它学到", "it is of that time": "属于那段时间",
    "it is the source": "是来源", "the engine noted it": "引擎的记录",
    "the name has the words": "名称含有这些词语",
    "it loses a source; others said it too": "少了一个来源，其他来源也说过",
    # routes and parts of a score
    "slot": "同一事项", "entity": "人或物", "time": "时间", "partition": "分区", "exact": "原文",
    "neighbour": "上下文", "words": "词语", "shared with best": "与最佳相同", "meaning": "语义",
    "words and meaning": "词语和语义", "neighbours": "上下文", "answered question": "回答了问题",
    "asks": "提问", "speaker": "说话人", "other speaker": "其他说话人",
    "assistant asked for": "问到助手", "date": "日期", "other date": "其他日期", "recency": "新近",
    "routes": "途径", "wish": "愿望", "time or number": "时间或数字", "type": "类型",
    "query": "问题", "relevance": "相关", "importance": "重要", "access": "使用",
}  # fmt: skip

# The nearest class decides; what a server said stays as it is.
_ERRORS_ZH: Mapping[type[errors.RecollectError], str] = {
    errors.ModelRateLimited: "请求太多，请稍后再试",
    errors.ModelSuspended: "模型刚才出错，暂时不再询问，请稍后再试",
    errors.ModelUnavailable: "模型没有及时作答或连接中断，请检查网络和地址后再试",
    errors.ModelRefused: "模型拒绝了请求，请检查密钥、地址、模型名和内容",
    errors.BadAnswer: "模型的回答不可用或被截断，请再试，或调大 max_tokens",
    errors.ModelError: "模型出错，请再试",
    errors.BudgetExhausted: "今天的模型用量已经用完",
    errors.StoreBusy: "另一个进程一直在写数据库，请稍后再试",
    errors.StoreReadOnly: "数据库文件或所在文件夹不可写",
    errors.QuotaExceeded: "这个空间已达到上限，没有写入",
    errors.DiskFull: "磁盘已满，没有写入，请腾出空间",
    errors.StoreDamaged: "数据库文件已损坏，保持原样，请用 recollect doctor 检查",
    errors.StoreError: "数据库无法完成这个操作",
    errors.InvalidInput: "输入无法使用",
    errors.NotFound: "没有找到",
    errors.Conflict: "与现有内容冲突",
    errors.ConfigError: "设置有误",
    errors.MissingExtra: "缺少可选组件，请安装",
    errors.MemoryOff: "记忆已关闭（memory.enabled）",
    errors.RecollectError: "出错了",
}


class Terms:
    """Words of the engine in the language of the chat; one that has no other name stays."""

    def __init__(self, language: Language, kinds: Words) -> None:
        self._table = _ZH if language == "zh" else {}
        self._kinds = kinds

    def of(self, term: str) -> str:
        return self._table.get(term, term)

    def kind(self, kind: Kind, metadata: Mapping[str, Json]) -> str:
        """The kind of a memory, in the word of the preset's document."""
        return self.of(self._kinds.said_of(kind, metadata))

    def counted(self, counts: Mapping[str, int]) -> str:
        """Such as "2 turn, 1 memory rewritten"."""
        return ", ".join(f"{count} {self._changed(name)}" for name, count in counts.items())

    def _changed(self, name: str) -> str:
        kind, _, change = name.rpartition(" ")
        return f"{self.of(kind)} {self.of(change)}" if kind in self._table else self.of(name)


def describe_error(error: errors.RecollectError, language: Language) -> str:
    """What happened and what to do about it; in Chinese with the engine's own words after it."""
    if language != "zh":
        return str(error)
    nearest = next(_ERRORS_ZH[one] for one in type(error).__mro__ if one in _ERRORS_ZH)
    return f"{nearest}（{error.message}）"
