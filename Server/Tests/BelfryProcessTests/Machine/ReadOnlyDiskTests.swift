import BelfryModel
import BelfrySimulators
import BelfryWire
import Foundation
import Testing

/// REL-6: a disk that cannot be written any more while the server runs, for a while.
@Suite("The disk becomes read-only", .enabled(if: ReadOnlyDisk.isPermitted, ReadOnlyDisk.reason))
struct ReadOnlyDiskTests {
    private static let devices = 20

    private func readiness(_ server: ServerProcess, _ stage: Stage) async throws -> HTTPCaller.Response {
        try await stage.http.answer(.GET, "\(server.address)/readyz")
    }

    /// Sends events until one is refused because nothing can be written; returns the ids that were acknowledged.
    private func expectError(of device: DeviceCaller) async throws -> [String] {
        var ids: [String] = []
        let rejected = try await eventually("a write is refused") {
            let id = UUID().uuidString
            let response = try await device.attempt([.custom("refused", id: id)])
            if response.status == 204 { ids.append(id) }
            return response
        } until: {
            $0.status != 204
        }
        #expect(rejected.status == 503 && rejected.headers.first(name: "Retry-After") == "1", "\(rejected)")
        return ids
    }

    @Test(
        """
        REL-6, WIRE-26, PUSH-5: on a disk that becomes read-only under the server, writes get 503 and reads go on, as \
        /readyz and the log say; once it can be written the server goes on by itself, campaigns amid it, and nothing \
        acknowledged is lost
        """,
        .timeLimit(.minutes(15))
    )
    func underTheServer() async throws {
        try await withPushService(answerAfter: .milliseconds(300)) { service in
            try await withStage { stage in
                let disk = try await ReadOnlyDisk(stage)
                let options = ["--rate-limit", "off", "--log-level", "notice"]
                let (device, ids) = try await stage.withServer(environment: disk.environment, options: options) {
                    server in
                    try await story(server, disk, service, stage)
                }
                // What it had acknowledged is on the disk.
                try await stage.withServer { server in
                    let found = try await stage.admin(server).eventIDs(of: device.id)
                    #expect(found.count == ids.count && Set(found) == Set(ids))
                }
            }
        }
    }

    private func story(
        _ server: ServerProcess, _ disk: ReadOnlyDisk, _ service: PushService, _ stage: Stage
    ) async throws -> (DeviceCaller, ids: [String]) {
        let admin = stage.admin(server)
        try await admin.createApp()
        try await admin.putCredentials(service.credentials)
        let fleet = try await TestFleet.register(Self.devices, at: server, with: service, stage)
        let device = DeviceCaller(server: server, http: stage.http)
        try await device.linkAnonymously()
        let before = UUID().uuidString
        try await device.send([.custom("before", id: before)])
        let campaign = try await admin.createCampaign("Survivor")
        try await admin.change(campaign, "launch")
        try await eventually("pushes leave", every: .milliseconds(2)) {
            service.simulator.statistics.accepted
        } until: {
            $0 > 0
        }
        // Their responses come when nothing can be written any more.
        try disk.set(isReadOnly: true)
        var ids = [before] + (try await expectError(of: device))
        let unready = try await eventually("the server says that it accepts no writes") {
            try await readiness(server, stage)
        } until: {
            $0.status == 503
        }
        #expect(String(decoding: unready.body, as: UTF8.self).contains("accepts no writes"), "\(unready)")
        for _ in 0..<20 { _ = try await admin.device(device.id) }
        #expect(Set(try await admin.eventIDs(of: device.id)) == Set(ids), "reads go on")
        let said = server.run.standardError
        #expect(said.components(separatedBy: "does not accept writes").count == 2, "it is told once: \(said)")

        try disk.set(isReadOnly: false)
        try await eventually("the server serves again by itself") {
            try await readiness(server, stage).status
        } until: {
            $0 == 200
        }
        let after = UUID().uuidString
        try await device.send([.custom("after", id: after)])
        ids.append(after)
        #expect(Set(try await admin.eventIDs(of: device.id)) == Set(ids))
        let response = try await eventually("the campaign completes") {
            try await admin.campaign(campaign)
        } until: {
            $0.status == .completed
        }
        #expect(response.counts.accepted == Self.devices && response.counts.pending == 0)
        // The outcomes waited in the server: nobody was sent to again.
        try PushRecord.check(
            service, tokens: fleet.reachableTokens, campaigns: [campaign], mayRepeat: 0, "The disk was read-only."
        )
        try await eventually("the readings meanwhile are in the audit log") {
            try await admin.audit().count { $0.target == "/api/v1/apps/{app}/devices/{clientId}" }
        } until: {
            $0 >= 20
        }
        #expect(await server.kill9() == .signal(SIGKILL))
        return (device, ids)
    }
}
