"""A page as its tags: what is there, what does not close in order, and what blocks of code hold."""

from html.parser import HTMLParser

VOID = {"meta", "br", "wbr", "link", "img", "hr", "input"}


class Tags(HTMLParser):
    """Every tag with its attributes, tags that do not close in order, and the text of each `pre`."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.blocks: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs) -> None:
        self.handle_startendtag(tag, attrs)
        self.open += [] if tag in VOID else [tag]
        self.blocks += [""] if tag == "pre" else []

    def handle_startendtag(self, tag, attrs) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data) -> None:
        if "pre" in self.open:
            self.blocks[-1] += data

    def values(self, name: str) -> list[str | None]:
        """What an attribute is, each time it is there."""
        return [found[name] for _, found in self.seen if name in found]
