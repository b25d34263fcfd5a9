import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import Foundation
import Testing

@Suite("A program of one version before")
struct NextSchemaTests {
    @Test(
        """
        FLEET-1, STO-1: a program runs on the schema of the next version, whether it changed while it ran or before its \
        start; one that is two versions newer ends the start with a sentence
        """,
        .timeLimit(.minutes(15)), arguments: Engine.allCases
    )
    func rolls(_ engine: Engine) async throws {
        try await withPushService { service in
            try await withStage { stage in
                try await stage.withDatabase(engine) { database in
                    let fleet = try await stage.withServer(environment: database.environment) { server in
                        let admin = stage.admin(server)
                        try await admin.createApp()
                        try await admin.putCredentials(service.credentials)
                        let fleet = try await TestFleet.register(20, mixed: true, at: server, with: service, stage)
                        if engine == .postgres {
                            // The next version starts beside it.
                            try await database.opened { try await $0.growToNextVersion(engine) }
                            try await expectSending("During", to: fleet, admin)
                        }
                        #expect(await server.terminate() == .code(0))
                        return fleet
                    }
                    if engine == .sqlite { try await database.opened { try await $0.growToNextVersion(engine) } }
                    try await stage.withServer(environment: database.environment) { server in
                        let device = DeviceCaller(server: server, http: stage.http)
                        try await device.link(to: "anna")
                        try await expectSending("After", to: fleet, stage.admin(server), newcomers: 1)
                        #expect(await server.terminate() == .code(0))
                    }
                    try await database.opened { try await $0.addSchemaVersion(ahead: 2) }
                    let run = try stage.startServer(environment: database.environment)
                    #expect(await run.address == nil, "it must not start")
                    #expect(await run.exit == .code(1))
                    let known = OpenTestStore.knownSchema
                    for word in ["schema \(known + 2)", "\(known + 1) at most", "newer version"] {
                        #expect(run.standardError.contains(word), "\(run.standardError)")
                    }
                }
            }
        }
    }

    private func expectSending(
        _ name: String, to fleet: TestFleet, _ admin: AdminCaller, newcomers: Int = 0
    ) async throws {
        _ = try await admin.http.call(.GET, "\(admin.server.address)/readyz")
        let campaign = try await admin.createCampaign(name)
        try await admin.change(campaign, "launch")
        let response = try await eventually("the campaign completes") {
            try await admin.campaign(campaign)
        } until: {
            $0.status == .completed
        }
        #expect(response.counts.audience == fleet.members.count + newcomers && response.counts.pending == 0)
        #expect(response.counts.accepted == fleet.members(of: .reachable).count)
    }
}
