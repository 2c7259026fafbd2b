"""Words that keep ordinary ones from being read as names, and parts of Chinese names."""

from __future__ import annotations

# Ordinary words that are a letter away from a common first name.
ORDINARY = frozenset(
    "angel angle began belly brace brain bread briar bring broad bully cable carol carry cases"
    " caste chair charm chart chase chest chore chose claim class clear coral dairy death dense"
    " doors every frank french gorge grace grade grape grave greet hairy harsh heater hollow"
    " honey hurry jacket jeans jelly jersey jolly juice lemon level light login loner lover"
    " lucky macro maker mania march marina marine marker market marks marry mason match matter"
    " medal melon merry metal model money month movie nation nicer nickel night olive orange"
    " other petal plane queen radar rally range ready rider river roast robe robot rogue roses"
    " ruler salad salsa salty sandy scarf scout shape share shark sheer shell sherry silly"
    " simple since slogan small smile snack sober soften solar sonic stave steak steel stellar"
    " stove sunny tailor taller teller tender tests third thyme tiger timer title today toner"
    " tonic topic trace tracer track tuner under verse victory vine viola voice waiter walker"
    " wallet water weather wedge whale wider windy wishes women words world worse worth write"
    " yearn young".split()
)
ORDINARY_ENDINGS = ("ing", "ed", "ly", "tion", "ness", "ment", "able", "ful", "less", "ous", "ive")
COMPOUND_SURNAMES = frozenset(
    "欧阳 上官 司马 诸葛 东方 皇甫 尉迟 公孙 慕容 司徒 夏侯 端木 令狐 南宫".split()
)
