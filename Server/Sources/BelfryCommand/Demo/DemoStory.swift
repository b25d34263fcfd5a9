import Belfry
import BelfryModel
import BelfrySimulators
import BelfryWire
import Crypto
import Foundation

/// The story that the demonstration tells, step by step, through the same doors as everybody: the device API by the
/// SDK, and the admin API.
struct DemoStory: Sendable {
    static let app = "demo"
    static let topic = "com.example.demo"
    static let teamID = "DEMOTEAM01"
    static let keyID = "DEMOKEY001"
    /// Between two looks at what another part has done, and the longest that a step may take, in seconds.
    private static let glance = 0.05
    private static let patience = 120.0

    let admin: AdminClient
    let simulator: APNsSimulator
    let addresses: APNsSimulator.Addresses
    let fleet: Fleet
    let environment: DeviceEnvironment
    /// Tells people what happens.
    let say: @Sendable (String) -> Void

    private var base: String { "/api/v1/apps/\(Self.app)" }

    /// Tells the whole story; returns the report and the campaign's id.
    func run() async throws -> (report: DemoReport, campaign: String) {
        try await setUp()
        say("\(fleet.devices.count) devices start.")
        try await fleet.each { try await $0.launch() }
        let registered = try await registeredDevices()
        try await fleet.each { try await $0.leave() }
        say("\(registered) devices are registered. Some apps are killed, some are deleted.")
        try await fleet.each(where: \.isKilled) { await $0.kill() }
        try await fleet.each(where: { $0.token == .unregistered }) { try await $0.deleteApp() }
        let campaign = try await launchCampaign()
        say("Campaign \(campaign) is launched.")
        let sent = try await figures(of: campaign) { $0.status == .completed }
        say("Campaign \(campaign) is sent. The killed apps come back, and people look at their phones.")
        try await fleet.each(where: \.isKilled) { try await $0.launch() }
        let counts = try await engagement(with: campaign, expecting: sent)
        return (
            DemoReport(devices: fleet.devices.count, registered: registered, push: .init(counts)), campaign
        )
    }

    private func setUp() async throws {
        let key = P256.Signing.PrivateKey()
        try simulator.register(
            .init(teamID: Self.teamID, keyID: Self.keyID, publicKeyPEM: key.publicKey.pemRepresentation)
        )
        let _: CreateAppAnswer = try await admin.send(
            .post, "/api/v1/apps", CreateAppRequest(code: Self.app, name: "Demonstration")
        )
        let _: APNsCredentialsAnswer = try await admin.send(
            .put, "\(base)/credentials/apns",
            APNsCredentialsRequest(
                teamId: Self.teamID, keyId: Self.keyID, topic: Self.topic, privateKey: key.pemRepresentation,
                endpoint: addresses.url(of: .production), sandboxEndpoint: addresses.url(of: .sandbox),
                trustRoots: simulator.trustRootPEM
            )
        )
        let _: AttributeAnswer = try await admin.send(
            .put, "\(base)/attributes/city", DefineAttributeRequest(type: .string)
        )
    }

    /// Waits until the server has processed every device's registration; returns how many it has.
    private func registeredDevices() async throws -> Int {
        var waiting: [String] = []
        for device in fleet.devices {
            if let id = try await device.deviceID() { waiting.append(id) }
        }
        let all = waiting.count
        try await eventually("every device is registered") {
            var left: [String] = []
            for id in waiting where try await !isRegistered(id) { left.append(id) }
            waiting = left
            return left.isEmpty
        }
        return all - waiting.count
    }

    private func isRegistered(_ id: String) async throws -> Bool {
        do {
            let device: DeviceAnswer = try await admin.get("\(base)/devices/\(id)")
            return (device.revision ?? 0) > 0
        } catch AdminClientError.refused(status: 404, _) {
            return false
        }
    }

    private func launchCampaign() async throws -> String {
        let draft: CampaignStatusAnswer = try await admin.send(
            .post, "\(base)/campaigns",
            CampaignRequest(
                name: "Hello", kind: .push, audience: .everyone,
                push: PushContent(
                    title: "Hello", body: "Your first push from Belfry.",
                    action: NotificationAction(type: .openUrl, url: "demo://welcome")
                )
            )
        )
        let _: CampaignStatusAnswer = try await admin.send(
            .post, "\(base)/campaigns/\(draft.id)/launch", String?.none
        )
        return draft.id
    }

    /// The campaign once the condition holds.
    private func figures(
        of campaign: String, when condition: (CampaignAnswer) -> Bool
    ) async throws -> CampaignCounts {
        var answer: CampaignAnswer = try await admin.get("\(base)/campaigns/\(campaign)")
        try await eventually("campaign \(campaign) goes on (it is \(answer.status.rawValue))") {
            answer = try await admin.get("\(base)/campaigns/\(campaign)")
            return condition(answer)
        }
        return answer.counts
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

    private func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
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
