"""People who edit for long: what they typed is not lost, whatever happens meanwhile (CON-5, CON-11)."""
import datetime
import re

from console import APP, PASSWORD, person

TEXT = "An hour's work, line by line."
# What the page says to whoever is about to leave it, as the browser asks it: whether there is something to lose. The
# browser's own question has no words of the page, and chromedriver answers it by itself.
ASKS = """
const leaving = new Event('beforeunload', {cancelable: true});
dispatchEvent(leaving);
return leaving.defaultPrevented;
"""
QUESTION = "What you have changed on this page is not saved. Leave it?"


def _in_new_tab(browser, steps):
    """Follows what has opened in a tab of its own, does the steps there, closes it and comes back."""
    first = browser.command("GET", "/window")
    if not browser.until(lambda: len(browser.command("GET", "/window/handles")) > 1):
        raise AssertionError("no tab has opened")
    second = next(tab for tab in browser.command("GET", "/window/handles") if tab != first)
    browser.command("POST", "/window", {"handle": second})
    steps()
    browser.command("DELETE", "/window")
    browser.command("POST", "/window", {"handle": first})


def _end_sessions(demo, name):
    for session in demo.api("GET", f"/api/v1/users/{name}/sessions")["sessions"]:
        demo.api("DELETE", f"/api/v1/users/{name}/sessions/{session['id']}")


def session(driver, demo, checks):
    """A marketer's session ends while they compose; they sign in in another tab, and go on."""
    with person(driver, demo, "marketer", demo.app_page("/campaigns/new")) as browser:
        browser.fill("Name", "Kept")
        browser.fill("Title", "Still here")
        browser.fill("Text", TEXT)
        _end_sessions(demo, "marketer")
        browser.press("Save the draft")
        checks.expect("the end of the session is told", browser.sees("what you typed is kept on this page"), browser.text)
        checks.page(browser, "the page of a form whose session has ended", 401)
        browser.press("Sign in")

        def steps():
            browser.fill("Name", "marketer")
            browser.fill("Password", PASSWORD)
            browser.press("Sign in")
            checks.expect("the other tab leads back", browser.sees("Go back to the tab with what you typed"), browser.text)
            checks.page(browser, "the page after a sign-in in a tab of its own")

        _in_new_tab(browser, steps)
        browser.press("Continue with what I typed")
        checks.expect("the form is there again", browser.sees("You have signed in again"), browser.text)
        checks.page(browser, "the page of a form of a former session", 403)
        browser.press("Send what I typed")
        checks.expect("the draft is saved", bool(browser.find("heading", "Kept")) and browser.sees(TEXT), browser.text)


def change(driver, demo, checks):
    """Two marketers change an in-app message that devices have."""
    campaign = demo.api("POST", f"/api/v1/apps/{APP}/campaigns", {
        "name": "In place", "kind": "inApp", "audience": {"everyone": True},
        "inApp": {
            "type": "modal", "trigger": {"event": "never:happens"}, "content": {"title": "One", "body": "Come in."}},
    })["id"]
    demo.api("POST", f"/api/v1/apps/{APP}/campaigns/{campaign}/launch")
    page = demo.app_page(f"/campaigns/{campaign}")
    with person(driver, demo, "marketer", page) as browser, person(driver, demo, "admin", page) as other:
        for at in (browser, other):
            at.press("Change")
            at.find("heading", "Change the message")
        checks.page(browser, "the form of a message that devices have")
        other.fill("Title", "Two")
        other.press("Publish the change")
        question = other.answer_question(accept=False)
        checks.expect(
            "a change of all devices is asked for once more",
            question == "Replace the message on all devices by this change?", question)
        other.press("Publish the change")
        other.answer_question()
        checks.expect("the change is published", other.sees("The change is published."), other.text)
        browser.fill("Title", "Three")
        browser.press("Publish the change")
        browser.answer_question()
        checks.expect(
            "the other change is told", browser.sees("Somebody else has changed this message"), browser.text)
        typed = browser.at("field", "Title", lambda field: [field.value])[0]
        checks.expect("what was typed is still there", typed == "Three", typed)
        checks.page(browser, "a change after another person's", 409)
        browser.press("Save as a version that waits")
        checks.expect("it waits", browser.sees(re.compile(r"Version \d+ was saved and waits")), browser.text)
        checks.page(browser, "the page of a message whose change waits")
        _message_pages(browser, checks)
    demo.api("POST", f"/api/v1/apps/{APP}/campaigns/{campaign}/cancel")


def options(driver, demo, checks):
    """What is typed into the fields of an option chooses it, and Enter in the preview's fields saves nothing."""
    with person(driver, demo, "marketer", demo.app_page("/campaigns/new")) as browser:
        for field, text in [("Name", "Half a condition"), ("Title", "Hello"), ("Text", "Berlin only")]:
            browser.fill(field, text)
        browser.fill("What condition 1 compares with", "Berlin")
        chosen = browser.script("return document.querySelector('[name=audience]:checked').value")
        checks.expect("a condition that is typed is asked", chosen == "clauses", chosen)
        browser.fill("Contact key", "a")
        browser.keys("Enter")
        browser.press("Save the draft")
        checks.expect("half a condition is told at its row", browser.sees("Choose what this row asks for"), browser.text)
        kept = browser.at("field", "What condition 1 compares with", lambda field: [field.value])[0]
        checks.expect("what was typed is still there", kept == "Berlin", kept)
        saved = [one["name"] for one in demo.api("GET", f"/api/v1/apps/{APP}/campaigns?limit=5")["campaigns"]]
        checks.expect("nothing was saved meanwhile", "Half a condition" not in saved, saved)


def leaving(driver, demo, checks):
    """A form that is left asks for what is not saved: not where nothing has changed, and not when it is sent."""
    with person(driver, demo, "admin", demo.app_page("/campaigns/new")) as browser:
        _leave_unsaved(browser, demo, checks)
        _leave_file(browser, demo, checks)
        _leave_saved(browser, demo, checks)
        _leave_comment(browser, demo, checks)
        _leave_settings(browser, demo, checks)
        _send_once(browser, demo, checks)


def _leave_unsaved(browser, demo, checks):
    """The form of a new campaign, by links and by whatever else leads away."""
    browser.find("heading", "Compose a push")
    browser.loaded()
    checks.expect("a form that nobody has touched is left without a question", not browser.script(ASKS))
    browser.fill("Contact key", "a")
    checks.expect("for whom the preview is shown is nothing to lose", not browser.script(ASKS))
    browser.fill("Name", "Not saved")
    checks.expect("what was typed is asked for", browser.script(ASKS))
    browser.press("Campaigns")
    question = browser.answer_question(accept=False)
    checks.expect("a link asks first", question == QUESTION, question)
    typed = browser.find("field", "Name").value
    checks.expect("whoever says no stays with what was typed", typed == "Not saved", typed)
    browser.press("Campaigns")
    browser.answer_question()
    campaigns = demo.app_page("/campaigns")
    checks.expect("whoever says yes leaves", browser.until(lambda: browser.address == campaigns), browser.address)
    browser.command("POST", "/back")
    browser.find("heading", "Compose a push")
    browser.loaded()
    typed = browser.find("field", "Name").value
    checks.expect("whoever comes back finds what was typed", typed == "Not saved", typed)
    checks.expect("and is asked for it", browser.script(ASKS))
    browser.press("Leave without saving")
    # A question would end the story here: nothing answers it.
    checks.expect(
        "a link that says so itself does not ask", browser.until(lambda: browser.address == campaigns), browser.address)


def _leave_file(browser, demo, checks):
    """A form that takes a file. The console has none, so one of its forms gets such a field, and counts as sent since."""
    browser.open(demo.app_page("/campaigns/new"))
    browser.find("heading", "Compose a push")
    browser.loaded()
    browser.script("""
        const form = document.querySelector('form[data-unsaved]');
        form.append(Object.assign(document.createElement('input'), {type: 'file', name: 'attachment'}));
        form.dispatchEvent(new SubmitEvent('submit', {bubbles: true, cancelable: true}));
        """)
    checks.expect("a form for which no file is chosen is left without a question", not browser.script(ASKS))
    choose = """
        const chosen = new DataTransfer();
        if (arguments[0]) chosen.items.add(new File(['a'], arguments[0]));
        document.querySelector('form[data-unsaved] [type=file]').files = chosen.files;
        """
    browser.script(choose, "people.csv")
    checks.expect("a file that is chosen is asked for", browser.script(ASKS))
    browser.script(choose, "")
    checks.expect("what is not chosen any more is nothing to lose", not browser.script(ASKS))


def _leave_saved(browser, demo, checks):
    browser.open(demo.app_page("/campaigns/new"))
    for field, text in (("Name", "Saved in time"), ("Title", "Saved"), ("Text", TEXT)):
        browser.fill(field, text)
    browser.press("Save the draft")
    checks.expect("a form is sent without a question", bool(browser.find("heading", "Saved in time")), browser.text)
    browser.press("Edit")
    browser.find("heading", "Edit the draft")
    browser.loaded()
    checks.expect("a form that shows what is stored is left without a question", not browser.script(ASKS))
    browser.fill("Title", "The {{#bells} ring.")
    browser.press("Save the draft")
    checks.expect(
        "what could not be saved is refused",
        browser.until(lambda: [
            field for field in browser.elements("field", "Title") if field.attribute("aria-invalid") == "true"]))
    browser.loaded()
    checks.expect("and asked for, without a further touch", browser.script(ASKS))
    checks.page(browser, "a draft with an error", 422, is_whole=False)
    browser.fill("Title", "Saved again")
    browser.press("Save the draft")
    checks.expect("it is saved in the end", browser.sees("The draft was saved."), browser.text)


def _leave_comment(browser, demo, checks):
    """On the page of the draft that was saved."""
    browser.loaded()
    checks.expect("a campaign to which nobody says anything is left without a question", not browser.script(ASKS))
    browser.fill("Comment", "Is the time right?")
    checks.expect("a comment that is not sent is asked for", browser.script(ASKS))
    browser.press("Edit")
    question = browser.answer_question(accept=False)
    checks.expect("a link asks for it first", question == QUESTION, question)
    browser.press("Add the comment")
    checks.expect("it is sent without a question", browser.sees("Is the time right?"), browser.text)
    browser.loaded()
    checks.expect("after that there is nothing to lose", not browser.script(ASKS))


def _leave_settings(browser, demo, checks):
    browser.open(demo.app_page("/settings/general"))
    browser.loaded()
    name = browser.find("field", "Name").value
    checks.expect("settings that nobody has touched are left without a question", not browser.script(ASKS))
    browser.fill("Name", "Another name")
    checks.expect("changed settings are asked for", browser.script(ASKS))
    browser.press("Badges")
    question = browser.answer_question(accept=False)
    checks.expect("a link to other settings asks first", question == QUESTION, question)
    browser.fill("Name", name)
    checks.expect("what was changed back is nothing to lose", not browser.script(ASKS))
    browser.fill("Name", "Another name")
    browser.press("Save")
    checks.expect("settings are saved without a question", browser.sees("The settings were saved."), browser.text)
    browser.loaded()
    checks.expect("after that there is nothing to lose", not browser.script(ASKS))
    browser.open(demo.app_page("/settings/general"))
    browser.fill("Name", name)
    browser.press("Save")
    checks.expect("the name is the former one again", browser.sees("The settings were saved."), browser.text)


def _send_once(browser, demo, checks):
    """A form whose answer is shown once takes one press: the answer to the first would be gone with a second."""
    browser.open(demo.app_page("/settings/keys"))
    browser.loaded()
    taken = browser.script("""
        const form = document.querySelector('form[data-once]');
        addEventListener('submit', (event) => { form.sent = [...form.sent ?? [], !event.defaultPrevented]; });
        for (const press of [1, 2]) {
            form.dispatchEvent(new SubmitEvent('submit', {bubbles: true, cancelable: true}));
        }
        return form.sent;
        """)
    checks.expect("of two presses the first is taken", taken == [True, False], taken)


def deletion(driver, demo, checks):
    """A draft is deleted after a question; one that somebody has changed or launched meanwhile is not."""
    unwanted, changed = _draft(demo, "Not wanted"), _draft(demo, "Changed meanwhile")
    tomorrow = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
    launched = _draft(demo, "Launched meanwhile", schedule={"at": tomorrow.strftime("%Y-%m-%dT%H:%M:%SZ")})
    with person(driver, demo, "marketer", demo.app_page(f"/campaigns/{unwanted}")) as browser:
        browser.press("Delete the draft")
        question = browser.answer_question(accept=False)
        checks.expect("a deletion is asked for once more", question == "Delete this draft for good?", question)
        checks.expect("whoever says no stays on its page", bool(browser.find("button", "Delete the draft")))
        checks.expect("it is still there", _is_draft(demo, unwanted))
        _delete(browser)
        _is_gone(browser, demo, checks, unwanted, "Not wanted")
        _delete_changed(browser, demo, checks, changed)
        _delete_launched(browser, demo, checks, launched)
    demo.api("POST", f"/api/v1/apps/{APP}/campaigns/{launched}/cancel")


def _delete_changed(browser, demo, checks, draft):
    browser.open(demo.app_page(f"/campaigns/{draft}"))
    browser.find("button", "Delete the draft")
    demo.api("PUT", f"/api/v1/apps/{APP}/campaigns/{draft}", _content("Changed meanwhile", text="Tomorrow."))
    _delete(browser)
    checks.expect(
        "what nobody has seen is not deleted", browser.sees("Somebody else has changed this draft since you opened"),
        browser.text)
    checks.expect("it is there as it is now", browser.sees("Tomorrow.") and _is_draft(demo, draft), browser.text)
    checks.page(browser, "a draft that has changed before its deletion", 409)
    _delete(browser)
    _is_gone(browser, demo, checks, draft, "Changed meanwhile")


def _delete_launched(browser, demo, checks, draft):
    browser.open(demo.app_page(f"/campaigns/{draft}"))
    browser.find("button", "Delete the draft")
    demo.api("POST", f"/api/v1/apps/{APP}/campaigns/{draft}/launch")
    _delete(browser)
    checks.expect("what was launched is not deleted", browser.sees("is scheduled, not a draft."), browser.text)
    browser.loaded()
    checks.expect("it is not offered any more", not browser.elements("button", "Delete the draft"))
    checks.page(browser, "a draft that was launched before its deletion", 409, is_whole=False)
    browser.open(demo.app_page("/campaigns"))
    checks.expect("the list still has it", bool(browser.find("link", "Launched meanwhile")))


def resuming(driver, demo, checks):
    """What was paused before its time says when it begins; once the time is past, nothing is sent unasked."""
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=90)
    campaign = _draft(demo, "Paused too long", schedule={"at": at.strftime("%Y-%m-%dT%H:%M:%SZ")})
    for step in ("launch", "pause"):
        demo.api("POST", f"/api/v1/apps/{APP}/campaigns/{campaign}/{step}")
    with person(driver, demo, "marketer", demo.app_page(f"/campaigns/{campaign}")) as browser:
        checks.expect("it says when it begins", browser.sees("Resumed now, it begins at"), browser.text)
        checks.page(browser, "a campaign that was paused before its time", is_whole=False)
        browser.until(lambda: datetime.datetime.now(datetime.timezone.utc) > at)
        browser.press("Resume")
        checks.expect(
            "nothing is resumed by a page from before", browser.sees("Nothing was resumed: its time has come"),
            browser.text)
        checks.page(browser, "a resume whose time has come meanwhile", 409, is_whole=False)
        browser.press("Resume and send now")
        question = browser.answer_question(accept=False)
        checks.expect("it is asked whether to send now", "is past. Resume it, and send it" in question, question)
        stays = demo.api("GET", f"/api/v1/apps/{APP}/campaigns/{campaign}")["status"]
        checks.expect("whoever says no has sent nothing", stays == "paused", stays)
        browser.press("Resume and send now")
        browser.answer_question()
        checks.expect("it goes on", browser.sees("The campaign continues: it starts now."), browser.text)
        checks.page(browser, "a campaign that goes on", is_whole=False)


def _delete(browser):
    browser.press("Delete the draft")
    browser.answer_question()


def _is_gone(browser, demo, checks, draft, name):
    told = browser.sees(f"The draft '{name}' was deleted.")
    checks.expect(f"{name}: the list says that it is deleted", told, browser.text)
    browser.loaded()
    checks.expect(
        f"{name}: the list has others, and not this one",
        bool(browser.find("link", "Launched meanwhile")) and not browser.elements("link", name), browser.text)
    checks.page(browser, f"{name}: the list after a deletion", is_whole=False)
    browser.open(demo.app_page(f"/campaigns/{draft}"))
    checks.expect(f"{name}: its page is gone", browser.sees("There is no campaign"), browser.text)
    checks.page(browser, f"{name}: the page of a draft that is deleted", 404, is_whole=False)


def _content(name, text="Tonight.", schedule=None):
    content = {"name": name, "kind": "push", "audience": {"everyone": True}, "push": {"title": name, "body": text}}
    return content | ({"schedule": schedule} if schedule else {})


def _draft(demo, name, **parts):
    return demo.api("POST", f"/api/v1/apps/{APP}/campaigns", _content(name, **parts))["id"]


def _is_draft(demo, draft):
    return demo.api("GET", f"/api/v1/apps/{APP}/campaigns/{draft}")["status"] == "draft"



def _message_pages(browser, checks):
    """The message's own pages, which stand in frames of the campaign's: a modal in each scheme."""
    frames = lambda: browser.script(
        "return [...document.querySelectorAll('.phone-page iframe[src]')].map((frame) => frame.src)")
    looks = browser.until(lambda: len(frames()) >= 2 and frames())
    checks.expect("a modal is shown in both schemes", len(looks or []) == 2 and looks[0] != looks[1], looks)
    for address in looks or []:
        browser.open(address)
        checks.expect(f"{address} shows the message", browser.sees("Come in."), browser.text)
        checks.page(browser, f"the page of a modal at {address}")


STORIES = {story.__name__: story for story in (session, change, options, leaving, deletion, resuming)}
