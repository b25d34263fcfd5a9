import BelfryAPI
import BelfryModel
import BelfryServerModel
import Foundation
import NIOHTTP1
import Testing

/// What `belfry serve` sends is verified by libraries that we did not write: h2, PyJWT, cryptography, http_ece.
@Suite("Our sender as libraries of other people's understand it")
struct ForeignServiceTests {
    /// What the services say when they begin.
    private struct Announcement: Decodable {
        struct Call: Decodable {
            let path: String
            /// JSON.
            let body: String
        }

        struct Outcome: Decodable {
            let state: String
            let reason: String?
        }

        struct Device: Decodable {
            let provider: PushProvider
            let token: String
            /// Of whom a failure speaks.
            let what: String
            /// Of each campaign.
            let outcomes: [Outcome]
        }

        let credentials: [Call]
        let devices: [Device]
        /// JSON.
        let campaigns: [String]
    }

    @Test(
        """
        PUSH-1 to PUSH-5, PUSH-21, LED-1, WEB-9: every push is verified and decrypted, also through a UnifiedPush \
        distributor, and 404, 410, 413, 429, 503 and 507 understood
        """,
        .timeLimit(.minutes(10))
    )
    func verified() async throws {
        try await withStage { stage in
            let services = try ForeignProgram.start("push_services.py", in: stage)
            defer { services.send(SIGKILL) }
            var lines = services.lines.makeAsyncIterator()
            guard let line = await lines.next() else {
                Issue.record("the push services did not start: \(services.standardError)")
                return
            }
            let announcement = try JSONDecoder().decode(Announcement.self, from: Data(line.utf8))
            try await stage.withServer(options: ["--rate-limit", "off", "--allow-private-endpoints"]) { server in
                try await send(announcement, stage.admin(server), stage)
            }
            services.send(SIGTERM)
            var report: [String] = []
            while let line = await lines.next() { report.append(line) }
            let exit = await services.exit
            #expect(exit == .code(0), "\((report + [services.standardError]).joined(separator: "\n"))")
        }
    }

    private func send(_ announcement: Announcement, _ admin: AdminCaller, _ stage: Stage) async throws {
        try await admin.createApp()
        for call in announcement.credentials {
            try await admin.answer(.PUT, call.path, Data(call.body.utf8))
        }
        var devices: [(caller: DeviceCaller, as: Announcement.Device)] = []
        for device in announcement.devices {
            let caller = DeviceCaller(server: admin.server, http: stage.http)
            try await register(caller, device)
            devices.append((caller, device))
        }
        for (number, campaign) in announcement.campaigns.enumerated() {
            let draft = try await admin.answer(.POST, "campaigns", Data(campaign.utf8))
                .decoded(as: CampaignStatusResponse.self)
            try await admin.change(draft.id, "launch")
            let ended = try await eventually("campaign \(number) ends") {
                try await admin.campaign(draft.id)
            } until: {
                $0.status != .sending
            }
            #expect(ended.status == .completed, "\(ended)")
            for (caller, device) in devices {
                let outcome = device.outcomes[number]
                let explained = try await admin.explain(draft.id, device: caller.id)
                #expect(explained.state == outcome.state, "campaign \(number), \(device.what): \(explained)")
                guard let reason = outcome.reason else { continue }
                #expect(explained.reason == reason, "campaign \(number), \(device.what): \(explained)")
            }
        }
    }

    private func register(_ caller: DeviceCaller, _ device: Announcement.Device) async throws {
        try await caller.linkAnonymously()
        let registration = UUID().uuidString
        try await caller.register(
            RegistrationSnapshot(
                deviceId: caller.id, registrationId: registration, revision: 1, pushToken: device.token,
                pushProvider: device.provider, pushEnvironment: .production, pushEnabled: true
            )
        )
        let receipt = try await eventually("the registration of \(device.what) is processed") {
            try await caller.receipt(registration)
        } until: {
            $0.status != .received
        }
        #expect(receipt.status == .processed, "\(receipt)")
    }
}

extension AdminCaller {
    /// Sends a body that another program wrote.
    @discardableResult
    fileprivate func answer(_ method: HTTPMethod, _ rest: String, _ body: Data) async throws -> HTTPCaller.Response {
        try await http.call(
            method, server.address + path(rest), headers: [("Authorization", "Bearer \(server.adminKey)")], body: body)
    }
}
