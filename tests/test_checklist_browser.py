"""The checklist in a real browser: ticks and notes stay, and nothing else is asked for."""

import pytest
from browsing import SCRIPTS

from buildcheck.checklist.steps import checklist_answer
from buildcheck.render.documents import render_checklist

pytestmark = pytest.mark.browser


@pytest.fixture
def text(judged) -> str:
    return render_checklist(checklist_answer(judged("lab-4x3090")), "html")


@pytest.fixture
def opened(browser, tmp_path, text):
    """A function that opens the page, and the list of what it complained of or asked for."""
    context, said = browser.new_context(), []

    def make(html: str = text, *, before: str = "", name: str = "list.html"):
        (tmp_path / name).write_text(html, encoding="utf-8")
        sheet = context.new_page()
        sheet.on("console", lambda m: said.append(m.text))
        sheet.on("pageerror", lambda e: said.append(str(e)))
        sheet.on("request", lambda r: said.append(r.url) if not r.url.startswith("file:") else None)
        if before:
            sheet.add_init_script(before)
        sheet.goto((tmp_path / name).as_uri())
        for phase in sheet.locator("summary").all()[1:]:
            phase.click()
        return sheet

    yield make, said
    context.close()


def reloaded(sheet, kept) -> bool:
    """Is what is kept there after a reload? Chromium stores it in a process that may be late."""
    return any(sheet.reload() and (kept() or sheet.wait_for_timeout(100 * n)) for n in range(10))


def progress(sheet, phase: str) -> str:
    return sheet.locator(f"h2 .progress[data-phase={phase}]").inner_text()


def test_ticks_and_notes_survive_a_reload(opened):
    """Each comes back in its own box, and the phase counts them."""
    make, said = opened
    sheet = make()
    assert progress(sheet, "order").startswith("0 of ")
    boxes = sheet.locator("[data-phase=order] .do input")
    boxes.nth(1).check()
    sheet.locator("[data-phase=order] [data-field=note]").nth(2).fill("asked Mr <b>Ott</b>")

    def ticked():
        return [n for n in range(boxes.count()) if boxes.nth(n).is_checked()]

    assert reloaded(sheet, lambda: ticked() == [1])
    assert sheet.locator("[data-phase=order] [data-field=note]").nth(2).input_value() == "asked Mr <b>Ott</b>"  # fmt: skip
    assert progress(sheet, "order") == f"1 of {boxes.count()}"
    assert progress(sheet, "quote").startswith("0 of ")
    assert said == []


def test_what_is_measured_is_kept_for_each_card(opened):
    sheet = opened[0]()
    step = sheet.locator(".step[data-key^='acceptance/link ']")
    fields = step.locator("[data-field^=measured]")
    assert fields.count() == 4
    for number in range(4):
        fields.nth(number).fill(f"x16 at {number}")
    wanted = [f"x16 at {n}" for n in range(4)]
    assert reloaded(sheet, lambda: [fields.nth(n).input_value() for n in range(4)] == wanted)


def test_a_step_whose_words_change_starts_unticked(opened, text):
    """A tick holds for what was read, not for its number."""
    make, _ = opened
    sheet = make()
    ticks = [f".step[data-key^='order/{name} '] .do input" for name in ("circuit", "check-again")]
    for tick in ticks:
        sheet.locator(tick).check()
    key = sheet.locator(".step[data-key^='order/circuit ']").get_attribute("data-key")
    again = make(text.replace(key, "order/circuit 000000000000"))
    assert reloaded(again, again.locator(ticks[1]).is_checked)
    assert not again.locator(ticks[0]).is_checked()


def test_clearing_asks_first(opened):
    """No is no; yes takes ticks and notes away for good."""
    make, said = opened
    sheet = make()
    sheet.locator(".do input").nth(0).check()
    sheet.locator("[data-field=note]").nth(0).fill("words")
    sheet.once("dialog", lambda d: d.dismiss())
    sheet.locator("#clear").click()
    assert sheet.locator(".do input").nth(0).is_checked()
    sheet.once("dialog", lambda d: d.accept())
    sheet.locator("#clear").click()
    sheet.reload()
    assert not sheet.locator(".do input").nth(0).is_checked()
    assert sheet.locator("[data-field=note]").nth(0).input_value() == ""
    assert sheet.evaluate("localStorage.length") == 0
    assert said == []


def test_commands_wrap_between_words(opened):
    """On a phone no name of a field and no flag is cut, and nothing is wider than the page."""
    make, said = opened
    sheet = make()
    sheet.set_viewport_size({"width": 390, "height": 900})
    pre = sheet.locator(".step[data-key^='start/link '] pre")
    cut = pre.evaluate(SCRIPTS["cut_words"])
    assert cut == []
    assert sheet.evaluate("document.documentElement.scrollWidth") <= 390
    assert said == []


def test_the_boxes_to_sign_stay_with_the_last_steps(opened):
    """On paper the table begins no page of its own."""
    make, _ = opened
    sheet = make()
    sheet.emulate_media(media="print")
    before = sheet.locator(".signatures").evaluate("e => getComputedStyle(e).breakBefore")
    assert before == "avoid"


def test_without_storage_it_still_counts(opened):
    """A browser that keeps nothing throws, and nobody notices."""
    make, said = opened
    sheet = make(before=SCRIPTS["keeps_nothing"])
    sheet.locator("[data-phase=quote] .do input").nth(0).check()
    assert progress(sheet, "quote").startswith("1 of ")
    assert said == []


def test_without_scripts_everything_is_there(browser, tmp_path, text):
    """All boxes and words; the tools that need a script are not shown."""
    (tmp_path / "list.html").write_text(text, encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    sheet = context.new_page()
    sheet.goto((tmp_path / "list.html").as_uri())
    assert sheet.locator(".do input").count() == text.count('type="checkbox"')
    assert sheet.locator("#clear").is_hidden()
    sheet.locator(".do input").nth(3).check()
    assert sheet.locator("summary .progress").nth(0).inner_text().endswith(" steps")
    context.close()
