import BelfryAPI
import BelfryModel
import BelfryServerModel
import Foundation
import Testing

@testable import BelfryCommand
@testable import BelfryProgram

@Suite("Push services that are simulated in a separate process")
struct PushServicesStoryTests {
    /// A device of the story, and its address.
    private struct Member {
        let device: DeviceCaller
        let place: PushServicesProcess.Place
        let isGone: Bool
    }

    private static let content = PushContent(
        title: "Hello {{firstName}}", body: "Is it warm in {{city}}?",
        variants: ["de": PushVariant(title: "Hallo {{firstName}}", body: "Ist es warm in {{city}}?")],
        defaults: ["firstName": "friend"]
    )
    private static let city = #"Zürich "Süd" <1> \ {{firstName}}"#

    /// The browsers' push service is on this machine, where no device may point the server otherwise (SEC-5).
    private static let options = ["--rate-limit", "off", "--allow-private-endpoints"]

    @Test(
        "CLI-3, PUSH-1 to PUSH-3, PUSH-21, CAMP-4, CAMP-6: a campaign reaches a device of each service in its format",
        .timeLimit(.minutes(10))
    )
    func oneOfEach() async throws {
        try await withStage { stage in
            try await stage.withPushServices { services in
                try await stage.withServer(options: Self.options) { server in
                    let admin = stage.admin(server)
                    let key = try await prepare(admin, services)
                    var members: [Member] = []
                    for provider in PushProvider.allCases {
                        for isGone in [false, true] {
                            let place = try await services.register(provider, applicationServerKey: key)
                            let device = DeviceCaller(server: server, http: stage.http)
                            try await register(device, at: place)
                            if isGone { try await services.end(place) }
                            members.append(Member(device: device, place: place, isGone: isGone))
                        }
                    }
                    let campaign = try await run(admin)
                    #expect(campaign.counts.accepted == 3 && campaign.counts.rejected == 3)
                    for member in members { try await check(member, campaign.id, admin, services) }

                    // Now the lost devices of each service are known.
                    let next = try await run(admin)
                    #expect(next.counts.accepted == 3 && next.counts.suppressed == 3)
                }
            }
        }
    }

    @Test(
        "CLI-3, MC-4, ENG-4: simulated devices of all three services show and open what is sent and kept",
        .timeLimit(.minutes(10))
    )
    func devices() async throws {
        try await withStage { stage in
            try await stage.withPushServices { services in
                try await stage.withServer(options: Self.options) { server in
                    let admin = stage.admin(server)
                    let key = try await prepare(admin, services)
                    let arguments = [
                        "simulate", "devices", "--count", "10", "--server", server.address, "--app", "shop",
                        "--push-control", services.control, "--provider", "mixed", "--topic", PushServicesProcess.topic,
                        "--project", PushServicesProcess.projectID, "--application-server-key", key, "--glance", "0.2",
                        "--directory", stage.folder.appending(path: "devices").path,
                    ]
                    try await stage.withProgram(arguments) { devices in
                        for await line in devices.lines where line.contains("devices are running") { break }
                        try await registered(10, admin)
                        let campaign = try await run(admin)
                        // Two of ten say no; half of the others open what they see.
                        #expect(campaign.counts.accepted == 8 && campaign.counts.suppressed == 2)
                        try await eventually("the devices report what they have shown and opened") {
                            try await admin.campaign(campaign.id).counts
                        } until: {
                            $0.displayed == 8 && $0.opened == 4
                        }
                        // The push itself makes the centers due; the same people open the message.
                        let kept = try await run(admin, Self.keptPush)
                        #expect(kept.counts.accepted == 8 && kept.counts.suppressed == 2)
                        try await eventually("the devices report what they have found in the message center") {
                            try await admin.campaign(kept.id).messageCenterCounts
                        } until: {
                            $0?.displayedBy == 8 && $0?.openedBy == 4
                        }
                    }
                }
            }
        }
    }

    @Test("CLI-3: impossible simulations are refused, and the option is named")
    func options() {
        let wrong: [(arguments: String, named: String)] = [
            ("push-services --latency-milliseconds 60001", "latencyMilliseconds"),
            ("push-services --retry-after-seconds 86401", "retryAfterSeconds"),
            ("push-services --fault sleepiness=0.5", "sleepiness"),
            ("devices --server http://a --app shop --push-control http://b", "--topic"),
            ("devices --server http://a --app shop --push-control http://b --provider fcm", "--project"),
            ("devices --server http://a --app shop --push-control http://b --provider mixed --topic t", "--project"),
            ("devices --server http://a --app shop --push-control http://b --provider sms", "sms"),
            ("devices --server http://a --app shop --push-control http://b --topic t --center a/b", "--center a/b"),
        ]
        for (arguments, named) in wrong {
            let words = ["simulate"] + arguments.split(separator: " ").map(String.init)
            let error = #expect(throws: (any Error).self, "\(arguments)") {
                _ = try BelfryProgram.parseAsRoot(words)
            }
            let message = error.map { BelfryProgram.fullMessage(for: $0) } ?? ""
            #expect(message.contains(named), "\(arguments): \(message)")
        }
        let right = ["simulate", "devices", "--server", "http://a", "--app", "shop", "--push-control", "http://b"]
        #expect(throws: Never.self) { _ = try BelfryProgram.parseAsRoot(right + ["--provider", "webpush"]) }
    }

    /// The app, with credentials for all services.
    ///
    /// - Returns: the key that browsers subscribe with.
    private func prepare(_ admin: AdminCaller, _ services: PushServicesProcess) async throws -> String {
        try await admin.createApp()
        for attribute in ["firstName", "city"] {
            let path = admin.path("attributes/\(attribute)")
            _ = try await admin.send(.PUT, path, DefineAttributeRequest(type: .string), as: AttributeDefinition.self)
        }
        return try await services.putCredentials(admin)
    }

    private func register(_ device: DeviceCaller, at place: PushServicesProcess.Place) async throws {
        try await device.linkAnonymously()
        let registration = UUID().uuidString
        var attributes: [String: AttributeValue] = ["city": .string(Self.city)]
        attributes["firstName"] = place.provider == .webpush ? nil : .string("Anna")
        try await device.register(
            RegistrationSnapshot(
                deviceId: device.id, registrationId: registration, revision: 1, pushToken: place.token,
                pushProvider: place.provider, pushEnvironment: .production, pushEnabled: true, attributes: attributes,
                system: SystemProperties(locale: place.provider == .fcm ? "de_AT" : "en-GB")
            )
        )
        let receipt = try await eventually("the registration is processed") {
            try await device.receipt(registration)
        } until: {
            $0.status != .received
        }
        #expect(receipt.status == .processed, "\(receipt)")
    }

    /// Waits until what that many devices have said of themselves is applied.
    private func registered(_ count: Int, _ admin: AdminCaller) async throws {
        let request = AudienceCountRequest(audience: .attribute("city", .exists(true)))
        try await eventually("all devices are registered") {
            try await admin.send(.POST, admin.path("audience"), request, as: AudienceCountResponse.self)
        } until: {
            $0.devices == count
        }
    }

    private static let push = CampaignRequest(name: "Weather", kind: .push, audience: .everyone, push: content)
    private static let keptPush = CampaignRequest(
        name: "Kept", kind: .pushAndMessageCenter, audience: .everyone, push: content,
        messageCenter: MessageCenterContent(badge: BadgeChange(op: .increment))
    )

    /// Sends a campaign to its end.
    private func run(_ admin: AdminCaller, _ request: CampaignRequest = Self.push) async throws -> CampaignResponse {
        let draft = try await admin.send(.POST, admin.path("campaigns"), request, as: CampaignStatusResponse.self)
        try await admin.change(draft.id, "launch")
        let campaign = try await eventually("the campaign completes") {
            try await admin.campaign(draft.id)
        } until: {
            $0.status != .sending
        }
        #expect(campaign.status == .completed, "\(campaign)")
        return campaign
    }

    private func check(
        _ member: Member, _ campaign: String, _ admin: AdminCaller, _ services: PushServicesProcess
    ) async throws {
        let provider = member.place.provider
        let response = try await admin.explain(campaign, device: member.device.id)
        let device = try await admin.device(member.device.id)
        let shown = try await services.shown(at: member.place)
        #expect(device.pushProvider == provider)
        guard !member.isGone else {
            #expect(response.state == DeliveryState.rejected.rawValue, "\(provider): \(response)")
            #expect(device.optOut?.reason == .tokenInvalid && !device.push.eligible, "\(provider)")
            #expect(shown.isEmpty, "\(provider)")
            return
        }
        #expect(response.state == DeliveryState.accepted.rawValue, "\(provider): \(response)")
        #expect(device.optOut == nil && device.push.eligible, "\(provider)")
        let words: PushServicesProcess.Shown =
            switch provider {
            case .apns: .init(title: "Hello Anna", body: "Is it warm in \(Self.city)?")
            case .fcm: .init(title: "Hallo Anna", body: "Ist es warm in \(Self.city)?")
            case .webpush: .init(title: "Hello friend", body: "Is it warm in \(Self.city)?")
            }
        #expect(shown == [words], "\(provider)")
    }
}
