import BelfryModel
import BelfryRules
import Foundation
import Testing

/// Edits, recalls, other persons, and what becomes of a message that is on its way.
struct InAppChangeTests {
    private func reference(_ name: String) -> String {
        String((name + "____________").prefix(RecipientTags.tagLength)) + ".rest"
    }

    @Test(
        "IAM-4: an edit during the display leaves the message there; its count carries over to the new version"
    )
    func editedWhileDisplayed() throws {
        var device = InAppDevice([message("a") { $0.displayLimit = 2 }])
        #expect(device.happens("buy") == ["load a"] && device.shows())
        device.situation.candidates = [message("a") { ($0.version, $0.displayLimit) = (2, 2) }]
        #expect(device.messagesChange() == [] && device.rules.onScreen?.version == 1)
        device.now += 3
        #expect(device.closes() == 3)
        device.now += 30
        #expect(device.happens("buy") == ["load a"] && device.rules.underWay?.version == 2)
        #expect(device.shows() && device.closes() == 0)
        device.now += 30
        #expect(device.happens("buy") == ["a not: exhausted"])
        // The editor resets the displays.
        device.situation.candidates = [message("a") { ($0.version, $0.displayEpoch) = (3, 3) }]
        #expect(device.messagesChange() == [] && device.sees("buy") == ["load a"])
        device.now += 30
        #expect(device.happens("buy") == ["a not: exhausted"])
    }

    @Test("IAM-4: an edit while the page loads loads the new version, unless something else triggers it now")
    func editedWhileLoading() throws {
        var device = InAppDevice([message("a")])
        _ = device.happens("buy")
        let former = try #require(device.rules.underWay)
        device.situation.candidates[0].version = 2
        #expect(device.messagesChange() == [])
        #expect(device.mayPresent(former) == ["load a"] && device.mayPresent(former) == [])
        #expect(device.mayPresent() == ["present a"] && device.rules.underWay?.version == 2)
        for change in [{ $0.trigger?.event = "look" }, { $0.type = .inline }, { $0.type = .action }]
            as [(inout InAppCandidate) -> Void]
        {
            var device = InAppDevice([message("a")])
            _ = device.happens("buy")
            change(&device.situation.candidates[0])
            device.situation.candidates[0].version = 2
            #expect(device.messagesChange() == [] && device.mayPresent() == ["a not: edited"])
            #expect(device.rules.underWay == nil)
        }
    }

    @Test("IAM-4, IAM-5: an edit keeps the count of events; another trigger begins again")
    func editedTrigger() {
        var device = InAppDevice([message("a") { $0.trigger?.occurrence = 2 }, message("b") { $0.delay = 60 }])
        _ = device.messagesChange()
        #expect(device.happens("buy") == ["a not: occurrence", "b waits: delayed"])
        for place in [0, 1] { device.situation.candidates[place].version = 2 }
        device.situation.candidates[1].delay = 30
        #expect(device.messagesChange() == [])
        #expect(device.passes(30) == ["load b"], "the delay is the new one's")
        device.situation.candidates[0].trigger?.event = "look"
        _ = device.messagesChange()
        #expect(device.happens("look") == ["a not: occurrence"])
    }

    @Test("IAM-10: deleted after the download, it stays; recalled, it is removed wherever it is")
    func recalled() throws {
        // The server says nothing of a deletion, so nothing changes.
        var deleted = InAppDevice([message("a")])
        #expect(deleted.messagesChange() == [] && deleted.happens("buy") == ["load a"] && deleted.shows())

        var waiting = InAppDevice([message("a") { $0.delay = 60 }])
        _ = waiting.happens("buy")
        waiting.situation.candidates = []
        #expect(waiting.messagesChange(recalled: ["a"]) == [] && waiting.passes(60) == [])

        var loading = InAppDevice([message("a")])
        _ = loading.happens("buy")
        let ticket = try #require(loading.rules.underWay)
        loading.situation.candidates = []
        var late = loading
        #expect(loading.messagesChange(recalled: ["a"]) == ["drop a: recalled", "a not: recalled"])
        #expect(loading.mayPresent(ticket) == [] && loading.rules.underWay == nil)
        #expect(late.mayPresent(ticket) == ["a not: recalled"])

        var displayed = InAppDevice([message("a")])
        #expect(displayed.happens("buy") == ["load a"] && displayed.shows())
        displayed.situation.candidates = []
        #expect(displayed.messagesChange() == [], "it was removed since it is exhausted; the person continues reading")
        #expect(displayed.messagesChange(recalled: ["a"]) == ["close a: recalled"])
        displayed.now += 4
        #expect(displayed.closes() == 4)
    }

    @Test("IAM-11: its time ends while the page loads, or while it is displayed")
    func expired() {
        var device = InAppDevice([message("a") { $0.endsAt = deviceEpoch + 10 }])
        _ = device.happens("buy")
        var displayed = device
        #expect(displayed.shows() == true)
        displayed.now += 20
        #expect(displayed.rules.spent(at: displayed.now, in: displayed.situation).isEmpty)
        #expect(displayed.passes(0) == [] && displayed.closes() == 20)
        #expect(displayed.rules.spent(at: displayed.now, in: displayed.situation).map(\.id) == ["a"])
        device.now += 10
        var purged = device
        purged.situation.candidates = []
        #expect(device.mayPresent() == ["a not: expired"] && purged.mayPresent() == ["a not: expired"])
    }

    @Test("IAM-11: the person changes while the page loads, while it is put on the screen, or while it is there")
    func switched() throws {
        var loading = InAppDevice([message("a")])
        _ = loading.happens("buy")
        let ticket = try #require(loading.rules.underWay)
        var presenting = loading
        _ = presenting.mayPresent()
        var displayed = loading
        #expect(displayed.shows() == true)

        #expect(loading.person(1) == ["drop a: personChanged"])
        // For the next person on this device, the message has the same id.
        #expect(loading.mayPresent(ticket) == [], "the page is the former person's")
        #expect(presenting.person(1) == ["close a: personChanged"])
        let isShown = presenting.step { rules, now, _, _ in rules.shown(ticket, at: now) }
        #expect(!isShown && presenting.rules.underWay == nil)
        #expect(displayed.person(1) == ["close a: personChanged"] && displayed.closes() == nil)
        for device in [loading, presenting, displayed] {
            #expect(device.rules.impressions.displays(of: message("a")) == 0, "the next person has seen nothing")
        }
        presenting.now += 30
        #expect(presenting.happens("buy") == ["load a"])
        #expect(presenting.rules.underWay != ticket)
    }

    @Test("IAM-11: a message that waits for one person is not shown to the next")
    func waiting() {
        var device = InAppDevice([message("a") { $0.delay = 60 }, message("b") { $0.trigger?.occurrence = 2 }])
        _ = device.happens("buy")
        _ = device.person(1)
        #expect(device.passes(60) == [] && device.happens("buy") == ["a waits: delayed", "b not: occurrence"])
    }

    @Test("IAM-8, ID-8: displays belong to the person: they are restored after a logout, a purge and a full fetch")
    func relogin() {
        var device = InAppDevice([message("a") { $0.displayLimit = 3 }, message("b") { $0.trigger = nil }])
        device.policy.minimumGap = 0
        device.policy.maximumPerDay = 3
        func link(_ name: String, _ owner: Int) {
            device.step { rules, _, _, _ in rules.linked(reference(name), owner: owner) }
        }
        link("a0", 0)
        #expect(device.sees("buy") == ["load a"])
        link("anna", 1)
        #expect(device.sees("buy") == ["load a"])
        _ = device.person(2)
        device.situation.candidates = []
        _ = device.messagesChange()
        device.situation.candidates = [message("a") { $0.displayLimit = 3 }]
        _ = device.messagesChange()
        #expect(device.sees("buy") == ["load a"], "the anonymous visitor's first")
        link("a2", 2)
        #expect(device.rules.impressions.displays(of: message("a")) == 1)
        link("anna", 3)
        #expect(device.rules.impressions.displays(of: message("a")) == 3, "who turns out to be Anna")
        #expect(device.rules.impressions.displays(onDayOf: device.now, in: .gmt) == 3)
        #expect(device.happens("buy") == ["a not: exhausted"])
        _ = device.person(4)
        link("bert", 4)
        #expect(device.sees("buy") == ["load a"])
    }

    @Test("IAM-8: the server knows the displays that a reinstalled device has lost; the greater count wins")
    func reinstalled() {
        var device = InAppDevice([message("a") { ($0.displayLimit, $0.displayCount) = (3, 2) }])
        device.policy.minimumGap = 0
        #expect(device.sees("buy") == ["load a"] && device.happens("buy") == ["a not: exhausted"])
        // By then the server knows what the device has reported.
        device.situation.candidates[0].displayCount = 3
        device.situation.candidates[0].displayLimit = 4
        #expect(device.sees("buy") == ["load a"] && device.happens("buy") == ["a not: exhausted"])
        // Another contact of the same person saw it here before the app was reinstalled.
        device.situation.candidates[0].displayCount = 7
        #expect(device.rules.impressions.displays(of: device.situation.candidates[0]) == 7)
        device.situation.candidates[0].displayEpoch = 2
        device.situation.candidates[0].displayCount = 3
        #expect(device.rules.impressions.displays(of: device.situation.candidates[0]) == 3)
    }
}
