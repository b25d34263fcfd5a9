import BelfryModel
import BelfryPush
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// LED-2: why did this person (not) get an in-app message?
struct InAppExplanationTests {
    private static func phone(
        _ world: ServiceWorld, _ number: Int, tags: [String] = [], asks: Bool = true
    ) async throws -> InAppPhone {
        var phone = InAppPhone(try await ServiceDevice.started(world, number))
        try await phone.device.tell([:], key: "person\(number)", tags: tags)
        if asks { try await phone.sync() }
        return phone
    }

    @Test("LED-2: for a device without the message it says why")
    func waiting() async throws {
        let world = try await ServiceWorld()
        let phone = try await Self.phone(world, 1, tags: ["sports"])
        let untagged = try await Self.phone(world, 2)
        try await world.makeFleet(3)
        let nobody = try ServiceDevice(world, 3)
        let id = try await world.offer(audience: .any([.tag("sports"), .deviceIDs([nobody.client.rawValue])]))
        let unasked = "It has not been downloaded yet: the device has not asked for messages since they were published."
        #expect(try await world.explanation(id, phone.device).state == "pending")
        #expect(try await world.explanation(id, phone.device).sentence == unasked)
        try await world.planInAppCampaigns()
        #expect(try await world.explanation(id, phone.device).sentence == unasked)
        let outside = try await world.explanation(id, untagged.device)
        #expect(outside.state == "notInAudience")
        #expect(outside.sentence == "The device is not in the campaign's audience.")
        #expect(outside.audience.map(\.holds) == [false])
        #expect(
            try await world.explanation(id, nobody).sentence
                == "It is waiting: the device has no contact, and in-app messages belong to a contact."
        )
        var left = phone.device
        left.revision = 10
        try await left.tell([:], tags: [])
        #expect(
            try await world.explanation(id, left).sentence
                == "The device is no longer in the campaign's audience. If it returns to it, it gets the message."
        )
        _ = try await world.campaigns.life.pause(id, app: world.app)
        #expect(
            try await world.explanation(id, phone.device).sentence
                == "It is waiting because the campaign is paused. Paused by an operator."
        )
    }

    @Test(
        "LED-2: a campaign that is over says so to devices that never synced", arguments: ["cancel", "recall", "end"])
    func over(how: String) async throws {
        let world = try await ServiceWorld()
        let phone = try await Self.phone(world, 1, tags: ["sports"], asks: false)
        let untagged = try await Self.phone(world, 2, asks: false)
        let end = ServiceWorld.epoch.addingTimeInterval(100)
        let id = try await world.offer(ServiceWorld.modal(endsAt: end), audience: .tag("sports"))
        try await world.planInAppCampaigns()
        switch how {
        case "cancel": _ = try await world.campaigns.life.cancel(id, app: world.app)
        case "recall": _ = try await world.campaigns.life.recall(id, app: world.app)
        default: world.clock.advance(to: end)
        }
        let words = ["cancel": "was cancelled", "recall": "was recalled", "end": "has ended"][how] ?? ""
        // Before its row is ended, and after.
        let before = try await world.explanation(id, phone.device)
        #expect(before.state == "pending" && before.sentence.hasPrefix("It was not downloaded"))
        #expect(before.sentence.contains("campaign \(words)"), "\(before.sentence)")
        try await world.planInAppCampaigns()
        let after = try await world.explanation(id, phone.device)
        #expect(after.state == (how == "end" ? "suppressed" : "cancelled"))
        #expect(after.reason == (how == "end" ? "expired" : "campaignCancelled"))
        #expect(
            after.sentence
                == (how == "end"
                    ? "It was not downloaded: the campaign ended before the device asked for messages."
                    : "It was not downloaded: the campaign was cancelled before the device asked for messages.")
        )
        let absent = try await world.explanation(id, untagged.device)
        #expect(absent.state == "notInAudience")
        #expect(
            absent.sentence
                == "The device was not in the campaign's audience when it asked for messages, if it ever did. "
                + "The campaign \(words)."
        )
    }

    @Test("LED-2: the reports about a downloaded message are shown with the device's figures")
    func downloaded() async throws {
        let world = try await ServiceWorld()
        var message = ServiceWorld.modal()
        message.displayLimit = 2
        let id = try await world.offer(message)
        var phone = try await Self.phone(world, 1)
        func sentence() async throws -> String { try await world.explanation(id, phone.device).sentence }
        #expect(try await sentence() == "It was downloaded, and the device has not reported that it was shown.")
        try await phone.report(
            .inAppNotShown, id, ["reason": "anotherShown", "sentence": "another message was shown 12 s ago"]
        )
        #expect(
            try await sentence()
                == "It was downloaded, and was due at \(Timestamp.text(world.clock.now)), but was not shown: "
                + "another message was shown 12 s ago."
        )
        world.clock.advance(by: 5)
        try await phone.report(.inAppViewed, id)
        #expect(try await sentence() == "It was downloaded, and was shown once.")
        try await phone.report(.inAppViewed, id)
        try await phone.report(.inAppClick, id, ["buttonId": "buy"])
        try await phone.report(.inAppDismiss, id, ["seconds": 4.2])
        let shown = "and was shown 2 times, clicked once, closed once, 4 s on screen in all"
        #expect(try await sentence() == "It was downloaded, \(shown); it has reached its display limit.")
        try await world.edit(id, resetDisplays: true) { $0.inApp?.content.title = "New" }
        #expect(try await sentence() == "It was downloaded in version 1, \(shown).")
        let explanation = try await world.explanation(id, phone.device)
        #expect(explanation.state == "accepted" && explanation.reason == nil)
        let steps = ["launched", "downloaded", "accepted", "notShown", "displayed", "opened", "dismissed"]
        #expect(Set(explanation.history.map(\.what)) == Set(steps))
        #expect(explanation.history.map(\.at) == explanation.history.map(\.at).sorted())
        try await phone.device.identify("somebody else")
        #expect(
            try await sentence() == "It was downloaded in version 1 for the contact that the device had then, \(shown)."
        )
    }

    @Test("LED-2: a removed copy is shown, with the reason")
    func takenBack() async throws {
        let world = try await ServiceWorld()
        var phone = try await Self.phone(world, 1, tags: ["sports"], asks: false)
        let left = try await world.offer(audience: .tag("sports"))
        let recalled = try await world.offer()
        let later = try await world.offer(
            {
                var message = ServiceWorld.modal()
                message.startsAt = ServiceWorld.epoch.addingTimeInterval(1_000)
                return message
            }())
        try await phone.sync()
        func sentence(_ id: CampaignID) async throws -> String {
            try await world.explanation(id, phone.device).sentence
        }
        #expect(
            try await sentence(later)
                == "It was downloaded, and may be shown from \(Timestamp.text(ServiceWorld.epoch + 1_000)) on.")
        let people = world.explainer.telling { $0 == ServiceWorld.epoch + 1_000 ? "then" : "some other time" }
        let explained = try await people.explain(later, device: phone.device.client.rawValue, app: world.app)
        #expect(explained.sentence == "It was downloaded, and may be shown from then on.")
        _ = try await world.campaigns.life.recall(recalled, app: world.app)
        #expect(
            try await sentence(recalled)
                == "It was downloaded, and has been recalled; the device removes it at its next sync."
        )
        world.clock.advance(by: 5)
        try await phone.device.tell([:], tags: [])
        try await phone.sync()
        #expect(try await sentence(recalled) == "It was downloaded, and was recalled before it was shown.")
        #expect(
            try await sentence(left)
                == "It was downloaded, and was withdrawn before it was shown, because it is no longer meant for the "
                + "device."
        )
        #expect(try await world.explanation(left, phone.device).history.last?.what == "withdrawn")
        let messages = try await world.explainer.messages(
            of: phone.device.client.rawValue, app: world.app, before: nil, limit: 10
        )
        #expect(messages.map(\.campaign.id) == [later, recalled, left])
        #expect(messages.map(\.explanation.state) == ["accepted", "accepted", "accepted"])
    }

    @Test("LED-2, CAMP-4: for a message that cannot be rendered it says what is missing")
    func unmakeable() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        let id = try await world.offer(ServiceWorld.modal("Hello {{city}}"))
        let phone = try await Self.phone(world, 1)
        #expect(
            try await world.explanation(id, phone.device).sentence
                == "It was not downloaded: its text cannot be rendered for this recipient (title: There is no value "
                + "for {{city}}, and no default.)."
        )
    }

    @Test("REG-22: a device is eligible for in-app messages as soon as it has a contact, opted out or not")
    func eligibility() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        let nobody = try ServiceDevice(world, 1)
        #expect(try await world.profile(nobody).inAppEligibility == .ineligible(reason: "noContact"))
        let device = try await world.optedOutDevice(2)
        #expect(try await world.profile(device).inAppEligibility == .eligible)
        #expect(try await world.profile(device).pushEligibility.isEligible == false)
    }
}
