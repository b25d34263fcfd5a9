import Belfry
import BelfryModel
import BelfryWire
import Foundation

/// The story that the demonstration tells, step by step, through the same doors as everybody: the device API by the
/// SDK, and the admin API.
struct DemoStory: Sendable {
    static let app = "demo"
    /// Between two looks at what another part has done, and the longest that a step may take, in seconds.
    private static let glance = 0.05
    private static let patience = 120.0

    let admin: AdminClient
    let credentials: DemoCredentials
    let fleet: Fleet
    let environment: DeviceEnvironment
    /// Tells people what happens.
    let say: @Sendable (String) -> Void

    var base: String { "/api/v1/apps/\(Self.app)" }

    /// Tells the whole story; returns the report and the campaign's id.
    func run() async throws -> (report: DemoReport, campaign: String) {
        try await setUp()
        say("\(fleet.devices.count) devices start.")
        try await fleet.each { try await $0.launch() }
        let registered = try await registeredDevices()
        try await fleet.each { try await $0.leave() }
        say("\(registered.count) devices are registered. Some apps are killed, some are deleted.")
        try await fleet.each(where: \.isKilled) { await $0.kill() }
        try await fleet.each(where: { $0.token == .unregistered }) { try await $0.deleteApp() }
        let campaign = try await launch(
            CampaignRequest(name: "Hello", kind: .push, audience: .everyone, push: Self.content)
        )
        say("Campaign \(campaign) is launched.")
        let sent = try await figures(of: campaign) { $0.status == .completed }
        say("Campaign \(campaign) is sent. The killed apps come back, and people look at their phones.")
        try await fleet.each(where: \.isKilled) { try await $0.launch() }
        let counts = try await engagement(with: campaign, expecting: sent)
        let report = try await tellOfMessages(after: campaign, counts, registered: registered)
        return (report, campaign)
    }

    /// Message centres and the badge, and in-app messages; then everything is counted.
    private func tellOfMessages(
        after push: String, _ counts: CampaignCounts, registered: [Int: String]
    ) async throws -> DemoReport {
        let (kept, message) = try await sendMessages()
        say("Campaign \(kept) is sent and stays in the message center, campaign \(message) lies there with a badge.")
        let keptCounts = try await engagement(with: kept, expecting: try await figures(of: kept) { _ in true })
        say("People open the message center.")
        let visits = try await visitCenters()
        let answer = try await reportedMessage(message, visits: visits)
        let inApp = try await tellOfInApp()
        let campaigns = Campaigns(
            push: push, keptPush: kept, message: message, basket: inApp.basket.id, greeting: inApp.greeting.id
        )
        let services = try await services(
            of: campaigns, registered: registered, visits: visits, sights: inApp.sights
        )
        let each = [services.apns, services.fcm, services.webpush]
        return DemoReport(
            devices: fleet.devices.count, registered: registered.count, push: .init(counts),
            messageCenter: .init(answer, keptPush: keptCounts, services: each),
            inApp: .init(inApp, services: each), services: services
        )
    }

    private func setUp() async throws {
        let _: CreateAppAnswer = try await admin.send(
            .post, "/api/v1/apps", CreateAppRequest(code: Self.app, name: "Demonstration")
        )
        let _: APNsCredentialsAnswer = try await admin.send(.put, "\(base)/credentials/apns", credentials.apns)
        let _: FCMCredentialsAnswer = try await admin.send(.put, "\(base)/credentials/fcm", credentials.fcm)
        let _: WebPushCredentialsAnswer = try await admin.send(
            .put, "\(base)/credentials/webpush", credentials.webPush
        )
        for attribute in ["city", "firstName"] {
            let _: AttributeAnswer = try await admin.send(
                .put, "\(base)/attributes/\(attribute)", DefineAttributeRequest(type: .string)
            )
        }
        try await setUpCenters()
    }

    /// Waits until the server has processed every device's registration; returns the ids of those that it has, by the
    /// devices' numbers.
    private func registeredDevices() async throws -> [Int: String] {
        var ids: [Int: String] = [:]
        for device in fleet.devices {
            ids[device.index] = try await device.deviceID()
        }
        var waiting = ids.values.sorted()
        try await eventually("every device is registered") {
            var left: [String] = []
            for id in waiting where try await !isRegistered(id) { left.append(id) }
            waiting = left
            return left.isEmpty
        }
        return ids.filter { !waiting.contains($0.value) }
    }

    private func isRegistered(_ id: String) async throws -> Bool {
        do {
            let device: DeviceAnswer = try await admin.get("\(base)/devices/\(id)")
            return (device.revision ?? 0) > 0
        } catch AdminClientError.refused(status: 404, _) {
            return false
        }
    }

    /// Everybody is called by name who has told it, and those who speak German read German.
    private static let content = PushContent(
        title: "Hello{{#firstName}}, {{firstName}}{{/firstName}}!", body: "Your first push from Belfry.",
        action: NotificationAction(type: .openUrl, url: "demo://welcome/{{city}}"),
        variants: [
            "de": PushVariant(
                title: "Hallo{{#firstName}}, {{firstName}}{{/firstName}}!", body: "Die erste Nachricht von Belfry."
            )
        ]
    )

    /// Makes a campaign and launches it; returns its id.
    func launch(_ request: CampaignRequest) async throws -> String {
        let draft: CampaignStatusAnswer = try await admin.send(.post, "\(base)/campaigns", request)
        let _: CampaignStatusAnswer = try await admin.send(
            .post, "\(base)/campaigns/\(draft.id)/launch", String?.none
        )
        return draft.id
    }

    /// What the campaign counts once the condition holds.
    func figures(of campaign: String, when condition: (CampaignAnswer) -> Bool) async throws -> CampaignCounts {
        try await answer(of: campaign, when: condition).counts
    }

    /// The campaign once the condition holds.
    func answer(
        of campaign: String, when condition: (CampaignAnswer) -> Bool
    ) async throws -> CampaignAnswer {
        var answer: CampaignAnswer = try await admin.get("\(base)/campaigns/\(campaign)")
        try await eventually("campaign \(campaign) goes on (it is \(answer.status.rawValue))") {
            answer = try await admin.get("\(base)/campaigns/\(campaign)")
            return condition(answer)
        }
        return answer
    }

    /// Lets the devices report until what was accepted has been shown and opened by whom it should.
    private func engagement(with campaign: String, expecting sent: CampaignCounts) async throws -> CampaignCounts {
        let readers = fleet.devices.map(\.behaviour).filter { $0.consent == .granted && $0.token == .valid }
        let openers = readers.filter(\.opens).count
        var counts = sent
        try await eventually("the devices report what they have shown") {
            try await fleet.each { try await $0.look() }
            counts = try await figures(of: campaign) { _ in true }
            return counts.displayed >= sent.accepted && counts.opened >= openers
        }
        return counts
    }

    func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
        let end = environment.now().addingTimeInterval(Self.patience)
        while try await !condition() {
            guard environment.now() < end else { throw DemoError.tookTooLong(what) }
            try Task.checkCancellation()
            await environment.sleep(environment.now().addingTimeInterval(Self.glance))
        }
    }
}

enum DemoError: Error, CustomStringConvertible {
    case tookTooLong(String)

    var description: String {
        switch self {
        case .tookTooLong(let what): "The demonstration waited in vain until \(what)."
        }
    }
}
