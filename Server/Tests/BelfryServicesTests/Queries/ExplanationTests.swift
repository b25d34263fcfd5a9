import BelfryModel
import BelfryPush
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct ExplanationTests {
    @Test("LED-2: every outcome is explained in a sentence", arguments: Outcome.all)
    fileprivate func outcomes(_ outcome: Outcome) async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, token: "token1")
        world.transport.script("token1", outcome.answers)
        try await outcome.before(&device)
        try await world.process()
        var content = ServiceWorld.content
        content.ttlSeconds = 60
        let id = try await world.launch(push: content)
        try await world.sendToTheEnd()
        let explanation = try await world.explainer.explain(id, device: device.client.rawValue, app: world.app)
        #expect(explanation.state == outcome.state)
        #expect(explanation.reason == outcome.reason)
        #expect(explanation.sentence == outcome.sentence)
        #expect(explanation.history.map(\.what) == ["launched", outcome.state])
    }

    fileprivate struct Outcome: Sendable, CustomTestStringConvertible {
        let state: String
        let reason: String?
        let sentence: String
        var answers: [ScriptedTransport.Response] = [.accepted]
        var before: @Sendable (inout ServiceDevice) async throws -> Void = { _ in }

        var testDescription: String { "\(state), \(reason ?? "-")" }

        static let all: [Outcome] = [
            Outcome(
                state: "accepted", reason: nil,
                sentence: "The push service accepted it; the device has not reported it."
            ),
            Outcome(
                state: "suppressed", reason: "optedOut:user",
                sentence: "It was not sent: the user has switched push off in the app.",
                before: { _ = try await $0.register { $0.pushEnabled = false } }
            ),
            Outcome(
                state: "suppressed", reason: "optedOut:os-setting",
                sentence: "It was not sent: the user has switched notifications off in the system's settings.",
                before: { _ = try await $0.register { $0.osPushEnabled = false } }
            ),
            Outcome(
                state: "suppressed", reason: "noToken", sentence: "It was not sent: the device has no push token.",
                before: { try await $0.deleteToken() }
            ),
            Outcome(
                state: "rejected", reason: "Unregistered",
                sentence: "It was sent, but the push service rejected it: 'Unregistered'. "
                    + RejectedToken.gone.sentence,
                answers: [.unregistered(since: nil)]
            ),
            Outcome(
                state: "rejected", reason: "noAnswer",
                sentence: "It was sent, but the push service did not respond in time.",
                answers: [.silence]
            ),
            Outcome(
                state: "rejected", reason: "noAnswer", sentence: "It could not be sent in time: no connection.",
                answers: [.unsent]
            ),
            Outcome(
                state: "rejected", reason: "noAnswer",
                sentence: "It was sent once without success, and could not be sent again in time: no connection.",
                answers: [.silence, .unsent]
            ),
            Outcome(
                state: "rejected", reason: "expired",
                sentence:
                    "It was sent 7 times, and the push service deferred it ('TooManyRequests') for too long.",
                answers: [.tooMany]
            ),
            Outcome(
                state: "rejected", reason: "expired",
                sentence: "It was sent 2 times, the push service deferred it ('TooManyRequests'), and it could not be "
                    + "sent again in time: no connection.",
                answers: [.silence, .tooMany, .unsent]
            ),
            Outcome(
                state: "rejected", reason: "expired",
                sentence: "It was sent 7 times, the push service deferred it ('InternalServerError'), and then did not "
                    + "respond in time.",
                answers: [.serverError, .silence]
            ),
            Outcome(
                state: "pending", reason: "InvalidProviderToken",
                sentence: "It is waiting because the campaign is paused. APNs: The push service rejected the "
                    + "credentials (InvalidProviderToken). Set correct credentials, then resume. No message is lost.",
                answers: [.invalidProviderToken]
            ),
        ]
    }

    @Test("LED-2: the device's later reports are part of the explanation")
    func engagement() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        let id = try await world.launch()
        try await world.sendToTheEnd()
        let sid = MessageID.make(campaign: id, device: device.client).text
        let story: [(EventName, String)] = [
            (.pushReceived, "The push service accepted it, and the device received it."),
            (.pushDisplayed, "The push service accepted it, and it was displayed but not opened."),
            (.pushClick, "The push service accepted it, and it was opened."),
        ]
        for (number, step) in story.enumerated() {
            let at = ServiceWorld.epoch.addingTimeInterval(Double(number + 1))
            world.clock.advance(to: at)
            try await device.track(.test("e\(number)", step.0, at: at, sid: sid))
            #expect(try await explain(world, id, device).sentence == step.1)
        }
        let history = try await explain(world, id, device).history
        #expect(history.map(\.what) == ["launched", "accepted", "received", "displayed", "opened"])
    }

    @Test("LED-2: a pending delivery says what it waits for")
    func waiting() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        let draft = try await world.campaigns.drafts.create(ServiceWorld.draft(), app: world.app).id
        #expect(
            try await explain(world, draft, device).sentence
                == "The campaign has not been launched, so no device has received it."
        )
        let id = try await world.launch()
        #expect(try await explain(world, id, device).sentence.contains("still being selected"))
        _ = try await world.planner.planNext()
        #expect(try await explain(world, id, device).sentence == "It has not been sent yet.")
        world.transport.answer("token1", .tooMany, .serverError, .accepted)
        let dispatcher = world.dispatcher()
        let sentences = [
            "It was tried once and will be retried; the last response was 'TooManyRequests'.",
            "It was tried 2 times and will be retried; the last response was 'InternalServerError'.",
        ]
        for sentence in sentences {
            await dispatcher.runUntilIdle()
            #expect(try await explain(world, id, device).sentence == sentence)
            world.clock.advance(by: 10)
        }
        _ = try await world.campaigns.life.pause(id, app: world.app)
        let paused = try await explain(world, id, device)
        #expect(paused.sentence == "It is waiting because the campaign is paused. Paused by an operator.")
        _ = try await world.campaigns.life.cancel(id, app: world.app)
        try await world.sendToTheEnd()
        let cancelled = try await explain(world, id, device)
        #expect(cancelled.state == "cancelled" && cancelled.reason == "campaignCancelled")
        #expect(cancelled.sentence == "The campaign was cancelled before it was sent to this device.")
    }

    @Test("CON-9, LED-2: of a device that the audience left out it is told which parts hold now, also of events")
    func parts() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, token: "token1")
        let this = Condition.deviceIDs([device.client.rawValue])
        let bought = Condition.event(EventClause(name: "purchase"))
        let id = try await world.launch(audience: .all([this, .all([.tag("vip"), bought])]))
        let later = try await ServiceDevice.registered(world, 2, token: "token2")
        try await world.sendToTheEnd()
        let expected = [
            AudiencePart(condition: this, holds: true), AudiencePart(condition: .tag("vip"), holds: false),
            AudiencePart(condition: bought, holds: false),
        ]
        #expect(try await explain(world, id, device).audience == expected)
        _ = try await device.register { $0.tags = ["vip"] }
        try await world.process()
        #expect(try await explain(world, id, device).audience.map(\.holds) == [true, true, false])
        // Nobody looked whether this one belongs to it, and everybody belongs to the other.
        #expect(try await explain(world, id, later).audience.isEmpty)
        let all = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await explain(world, all, device).audience.isEmpty)
    }

    @Test("LED-2: a device that is not in the ledger gets the reason")
    func absence() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        let id = try await world.launch(audience: .tag("vip"))
        let later = try await ServiceDevice.registered(world, 2, token: "token2")
        try await world.sendToTheEnd()
        let excluded = try await explain(world, id, device)
        #expect(excluded.state == "notInAudience" && excluded.history.isEmpty)
        #expect(excluded.sentence == "The device was not in the campaign's audience when it was planned.")
        let tooLate = "The device was first seen after the campaign's launch, so it was not in the audience."
        #expect(try await explain(world, id, later).sentence == tooLate)
        let unknown = try ServiceWorld.client(99).rawValue
        #expect(
            await errorCode { try await world.explainer.explain(id, device: unknown, app: world.app) } == "notFound")
        let code = await errorCode {
            let none = try #require(CampaignID(999))
            return try await world.explainer.explain(none, device: device.client.rawValue, app: world.app)
        }
        #expect(code == "notFound")
    }

    private func explain(_ world: ServiceWorld, _ id: CampaignID, _ device: ServiceDevice) async throws -> Explanation {
        try await world.explainer.explain(id, device: device.client.rawValue, app: world.app)
    }
}
