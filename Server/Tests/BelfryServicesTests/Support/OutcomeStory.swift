import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// The result of one campaign for one device of the story below, and its explanation.
struct ExpectedOutcome: Sendable {
    let number: Int
    let state: String
    var reason: String?
    let sentence: String

    static let all: [ExpectedOutcome] = accepted + suppressed + rejected

    private static let accepted: [ExpectedOutcome] = [
        ExpectedOutcome(
            number: 1, state: "accepted", sentence: "The push service accepted it; the device has not reported it."
        ),
        ExpectedOutcome(
            number: 2, state: "accepted", sentence: "The push service accepted it, and the device received it."),
        ExpectedOutcome(
            number: 3, state: "accepted", sentence: "The push service accepted it, and it was displayed but not opened."
        ),
        ExpectedOutcome(number: 4, state: "accepted", sentence: "The push service accepted it, and it was opened."),
        ExpectedOutcome(
            number: 5, state: "accepted",
            sentence: "The push service accepted it, and it was dismissed without being opened."
        ),
    ]

    private static let suppressed: [ExpectedOutcome] = [
        (6, "optedOut:user", "the user has switched push off in the app"),
        (7, "optedOut:os-setting", "the user has switched notifications off in the system's settings"),
        (8, "optedOut:token-invalid", "the push service reported that the device's token is no longer valid"),
        (9, "optedOut:token-malformed", "the push service reported that the device's token is malformed"),
        (10, "noToken", "the device has no push token"),
        (11, "noCredentials", "the app has no credentials for the device's push service"),
        (
            12, "renderError",
            "its text cannot be rendered for this recipient (title: There is no value for {{firstName}}, "
                + "and no default.)"
        ),
        (13, "quietHours", "it was due in the recipient's quiet hours"),
        (
            14, "frequencyCap",
            "the device had reached the campaign's frequency cap (1 in 1 day), counting messages that were about to "
                + "be sent"
        ),
        (15, "duplicateToken", "another device of the campaign has since registered the same push token"),
    ].map { ExpectedOutcome(number: $0.0, state: "suppressed", reason: $0.1, sentence: "It was not sent: \($0.2).") }

    private static let rejected: [ExpectedOutcome] = [
        (
            16, "Unregistered",
            "It was sent, but the push service rejected it: 'Unregistered'. This means that the push token is no "
                + "longer registered: as a rule the app was removed, or the browser's subscription has ended."
        ),
        (17, "payloadTooLarge", "It was not sent: the message is larger than the push service accepts."),
        (18, "noAnswer", "It was sent, but the push service did not respond in time."),
        (19, "noAnswer", "It was sent, but the push service did not respond in time. Yet it was opened."),
        (20, "expired", "It was sent 7 times, and the push service deferred it ('TooManyRequests') for too long."),
    ].map { ExpectedOutcome(number: $0.0, state: "rejected", reason: $0.1, sentence: $0.2) }
}

/// One campaign that met every kind of device, after one that had reached three of them.
struct OutcomeStory {
    let world: ServiceWorld
    let earlier: CampaignID
    let campaign: CampaignID

    var app: AppRecord { world.app }

    static func reported() async throws -> OutcomeStory {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("firstName", type: .string, app: world.app)
        var devices: [ServiceDevice] = []
        for outcome in ExpectedOutcome.all { devices.append(try await device(outcome.number, in: world)) }
        world.transport.answer("token8", .unregistered(since: nil))
        world.transport.answer("token9", .badDeviceToken)
        let audience = try [8, 9, 14].map { try ServiceWorld.client($0).rawValue }
        let earlier = try await world.launch(audience: .deviceIDs(audience))
        try await world.sendToTheEnd()
        try await shareToken(in: world)

        world.transport.answer("token16", .unregistered(since: nil))
        for number in [18, 19] { world.transport.answer("token\(number)", .silence) }
        world.transport.answer("token20", .tooMany)
        let campaign = try await world.launch(
            push: PushContent(title: "Hello {{firstName}}", body: "Only today", ttlSeconds: 60),
            schedule: try schedule()
        )
        try await world.sendToTheEnd()
        try await report(on: campaign, by: devices)
        return OutcomeStory(world: world, earlier: earlier, campaign: campaign)
    }

    /// Noon in UTC is seven in New York.
    private static func schedule() throws -> CampaignSchedule {
        CampaignSchedule(
            quietHours: QuietHours(
                from: try #require(TimeOfDay("22:00")), to: try #require(TimeOfDay("08:00")), then: .suppress
            ),
            frequencyCap: FrequencyCap(count: 1, within: try ISODuration("P1D"))
        )
    }

    private static func device(_ number: Int, in world: ServiceWorld) async throws -> ServiceDevice {
        var device = try await ServiceDevice.started(world, number)
        try await device.register { snapshot in
            snapshot.pushToken = number == 10 ? nil : "token\(number)"
            snapshot.pushEnabled = number != 6
            snapshot.osPushEnabled = number != 7
            if number == 11 { snapshot.pushProvider = .fcm }
            if number == 13 { snapshot.timeZone = "America/New_York" }
            if number != 12 {
                let name = number == 17 ? String(repeating: "é", count: 2_000) : "Anna"
                snapshot.attributes = ["firstName": .string(name)]
            }
        }
        try await world.process()
        return device
    }

    /// A token is one device's, but for devices that register it at the same time.
    private static func shareToken(in world: ServiceWorld) async throws {
        let (app, now) = (world.app.id, world.clock.now)
        try await world.database.write { connection in
            var device = try #require(try connection.devices.find(app: app, client: ServiceWorld.client(15)))
            device.pushToken = try PushToken("token1", provider: .apns, environment: .production)
            device.tokenAt = now.addingTimeInterval(-86_400)
            try connection.devices.save(device)
        }
    }

    private static func report(on campaign: CampaignID, by devices: [ServiceDevice]) async throws {
        let events: [(number: Int, event: EventName)] = [
            (2, .pushReceived), (3, .pushDisplayed), (4, .pushClick), (5, .pushDismiss), (19, .pushClick),
        ]
        for (number, event) in events {
            let device = devices[number - 1]
            let sid = MessageID.make(campaign: campaign, device: device.client).text
            try await device.track(.test("e\(number)", event, at: device.world.clock.now, sid: sid))
        }
    }
}
