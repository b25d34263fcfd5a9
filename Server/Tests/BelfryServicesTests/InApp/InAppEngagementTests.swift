import BelfryModel
import BelfryPush
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

/// Reports of devices about in-app messages, and their figures (IAM-9, LED-3).
struct InAppEngagementTests {
    private static func sums(_ world: ServiceWorld, _ id: CampaignID) async throws -> InAppSums {
        try #require(try await world.campaigns.queries.report(id, app: world.app).inApp)
    }

    private static func phone(_ world: ServiceWorld, _ number: Int, key: String) async throws -> InAppPhone {
        var phone = InAppPhone(try await ServiceDevice.registered(world, number, key: key))
        try await phone.sync()
        return phone
    }

    @Test("IAM-9, LED-1: display, click, dismissal and the time on screen join the ledger and the figures")
    func joined() async throws {
        let world = try await ServiceWorld()
        let id = try await world.offer()
        var phone = try await Self.phone(world, 1, key: "anna")
        let tablet = try await Self.phone(world, 2, key: "anna")
        try await phone.report(.inAppViewed, id)
        try await phone.report(.inAppViewed, id)
        try await phone.report(.inAppClick, id, ["buttonId": "buy"])
        try await phone.report(.inAppClick, id, ["buttonId": 7])
        try await phone.report(.inAppClick, id)
        try await phone.report(.inAppDismiss, id, ["seconds": 3.5, "how": "close"])
        try await phone.report(
            .inAppNotShown, id, ["reason": "anotherShown", "sentence": "another was shown 12 s ago"])
        let sums = try await Self.sums(world, id)
        #expect(sums.downloaded == 2 && sums.displays == 2 && sums.displayedBy == 1)
        #expect(sums.clicks == 3 && sums.clickedBy == 1 && sums.clicksByButton == ["buy": 1, "7": 1])
        #expect(sums.dismissals == 1 && sums.seconds == 3.5 && sums.notShown == ["anotherShown": 1])
        let row = try #require(try await world.delivery(id, phone.device))
        #expect(Set(row.engagements.keys) == [.displayed, .opened, .dismissed])
        #expect(try await world.delivery(id, tablet.device)?.engagements.isEmpty == true)
        let counts = try await world.counts(id)
        #expect(counts.audience == 2 && counts.accepted == 2 && counts.displayed == 1 && counts.opened == 1)
        #expect(counts.total == counts.audience)
    }

    @Test("EVT-3, IAM-9: an event counts once, however often it comes")
    func once() async throws {
        let world = try await ServiceWorld()
        let id = try await world.offer()
        var phone = try await Self.phone(world, 1, key: "anna")
        for _ in 0..<3 {
            try await phone.report(.inAppViewed, id, id: "v1")
            try await phone.report(.inAppClick, id, ["buttonId": "buy"], id: "c1")
            try await phone.report(.inAppDismiss, id, ["seconds": 2], id: "d1")
            try await phone.report(.inAppNotShown, id, ["reason": "paused"], id: "n1")
        }
        let sums = try await Self.sums(world, id)
        #expect([sums.displays, sums.clicks, sums.dismissals] == [1, 1, 1] && sums.seconds == 2)
        #expect(sums.clicksByButton == ["buy": 1] && sums.notShown == ["paused": 1])
    }

    @Test("IAM-9: words that a device invents get no rows: reasons have a list, and of buttons 20 are counted")
    func invented() async throws {
        let world = try await ServiceWorld()
        let id = try await world.offer()
        var phone = try await Self.phone(world, 1, key: "anna")
        for number in 0..<30 {
            try await phone.report(.inAppNotShown, id, ["reason": .string("word\(number)")])
            try await phone.report(.inAppClick, id, ["buttonId": .string("b\(number)")])
        }
        try await phone.report(.inAppNotShown, id, ["reason": "paused"])
        try await phone.report(.inAppClick, id, ["buttonId": "b3"])
        let sums = try await Self.sums(world, id)
        #expect(sums.notShown == ["other": 30, "paused": 1])
        #expect(sums.clicks == 31 && sums.clicksByButton.count == 21)
        #expect(sums.clicksByButton["other"] == 10 && sums.clicksByButton["b3"] == 2)
    }

    @Test(
        "IAM-9, SEC-2: short words of many bytes are truncated between two scalars", arguments: Engine.ofEachRun)
    func longWords(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        let id = try await world.offer()
        var phone = try await Self.phone(world, 1, key: "anna")
        // Combining marks that do not repeat: no engine can compress them.
        var dice = SeededGenerator(seed: 1)
        let long = (0..<60).reduce(into: "") { text, _ in
            text += "e"
            for _ in 0..<60 {
                text.unicodeScalars.append(Unicode.Scalar(UInt16.random(in: 0x300...0x36e, using: &dice)) ?? "\u{300}")
            }
        }
        #expect(long.count == 60 && long.utf8.count == 7_260)
        // As the API hands it on: U+034F divides the runs of marks.
        let read = StreamSafeText.make(of: long)
        try await phone.report(.inAppClick, id, ["buttonId": .string(read)])
        try await phone.report(.inAppNotShown, id, ["reason": .string(read), "sentence": .string(read)])
        let sums = try await Self.sums(world, id)
        let button = try #require(sums.clicksByButton.keys.first)
        #expect(sums.clicksByButton == [button: 1] && sums.notShown == ["other": 1])
        let scalars = read.unicodeScalars
        let fitting = (0...scalars.count).last {
            String(String.UnicodeScalarView(scalars.prefix($0))).utf8.count <= 256
        }
        let expected = String(String.UnicodeScalarView(scalars.prefix(try #require(fitting))))
        #expect(button.utf8.count > 250 && button.utf8.elementsEqual(expected.utf8))
        let sentence = try #require(try await world.copy(id, phone.device)?.notShownSentence)
        #expect(sentence.utf8.count <= 800 && read.utf8.starts(with: sentence.utf8))
    }

    @Test("IAM-13: a v3 client sends the campaign, and no message")
    func version3() async throws {
        let world = try await ServiceWorld()
        let id = try await world.offer()
        let phone = try await Self.phone(world, 1, key: "anna")
        try await phone.device.trackWhole(.inAppViewed, ["campaignId": .string(id.description)], id: "e1")
        try await phone.device.trackWhole(
            .inAppClick, ["campaignId": .number(Double(id.number)), "buttonId": "b"], id: "e2")
        let sums = try await Self.sums(world, id)
        #expect(sums.displays == 1 && sums.clicksByButton == ["b": 1])
        #expect(try await world.copy(id, phone.device)?.shown == 1)
    }

    @Test("IAM-9: a device without the message, another's message, or the app's own events do not count")
    func foreign() async throws {
        let world = try await ServiceWorld()
        let id = try await world.offer(audience: .contactKeys(["anna"]))
        let push = try await world.launch()
        let anna = try await Self.phone(world, 1, key: "anna")
        let ben = try await Self.phone(world, 2, key: "ben")
        let annas = MessageID.make(campaign: id, device: anna.device.client).text
        let campaign = AttributeValue.string(id.description)
        let named: [(InAppPhone, [String: AttributeValue], Event.Kind)] = [
            (ben, ["campaignId": campaign], .internal),
            (ben, ["campaignId": campaign, "messageId": .string(annas)], .internal),
            (ben, ["messageId": .string(MessageID.make(campaign: id, device: ben.device.client).text)], .internal),
            (anna, ["campaignId": campaign], .custom),
            (anna, ["campaignId": .string(push.description)], .internal),
            (anna, ["campaignId": .string(push.description), "messageId": .string(annas)], .internal),
            (anna, ["campaignId": campaign, "messageId": "no id"], .internal),
            (anna, ["campaignId": "none"], .internal),
            (anna, ["campaignId": true], .internal),
            (anna, [:], .internal),
        ]
        for (number, (phone, attributes, kind)) in named.enumerated() {
            try await phone.device.trackWhole(.inAppViewed, attributes, id: "e\(number)", kind: kind)
        }
        var untouched = InAppSums()
        untouched.downloaded = 1
        #expect(try await Self.sums(world, id) == untouched)
        for campaign in [id, push] { #expect(try await world.counts(campaign).displayed == 0) }
        #expect(try await world.rows("events") == named.count)
        try await anna.device.trackWhole(.inAppViewed, ["messageId": .string(annas)], id: "right")
        #expect(try await Self.sums(world, id).displays == 1)
    }

    @Test("ID-7, ID-8: an event counts for its message's contact, even if another person has the device now")
    func formerOwners() async throws {
        let world = try await ServiceWorld()
        let id = try await world.offer()
        var phone = InAppPhone(try await ServiceDevice.started(world, 1))
        try await phone.sync()
        let anonymous = phone.device.contactReference
        try await phone.device.identify("anna")
        let annas = phone.device.contactReference
        // Anna is the one that she was before, and has seen what that one saw.
        try await phone.device.trackWhole(
            .inAppViewed, ["campaignId": .string(id.description)], id: "e1", reference: anonymous
        )
        #expect(try await world.copy(id, phone.device)?.shown == 1)
        try await phone.device.linkAnonymously()
        try await phone.device.trackWhole(
            .inAppViewed, ["campaignId": .string(id.description)], id: "e2", reference: annas
        )
        #expect(try await Self.sums(world, id).displays == 2)
        #expect(try await world.copy(id, phone.device) == nil)
        try await phone.sync()
        #expect(phone.messages[id]?.displayCount == 0)
    }

    @Test("IAM-9: the device's own words are truncated, and those that cannot be are not counted")
    func hostile() async throws {
        let world = try await ServiceWorld()
        let id = try await world.offer()
        var phone = try await Self.phone(world, 1, key: "anna")
        let long = String(repeating: "x", count: 5_000)
        try await phone.report(.inAppClick, id, ["buttonId": .string(long)])
        try await phone.report(.inAppNotShown, id, ["reason": .string(long), "sentence": .string(long)])
        try await phone.report(.inAppNotShown, id)
        for seconds in [-1, 1e300, .infinity] as [Double] where seconds.isFinite {
            try await phone.report(.inAppDismiss, id, ["seconds": .number(seconds)])
        }
        try await phone.report(.inAppViewed, id, ["version": 1e300])
        let sums = try await Self.sums(world, id)
        #expect(sums.clicksByButton.keys.map(\.count) == [64] && sums.notShown == ["other": 1])
        #expect(sums.dismissals == 2 && sums.seconds <= 86_400)
        #expect(sums.displays == 1)
        #expect(try await world.copy(id, phone.device)?.notShownSentence?.count == 200)
    }
}
