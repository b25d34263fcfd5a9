import BelfryModel
import BelfrySimulators
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

/// REL-6: a disk that is full, for a while.
@Suite("The disk is full", .enabled(if: SmallDisk.isPermitted, SmallDisk.reason), .serialized)
struct FullDiskTests {
    private static let eventsPerCall = 10
    private static let megabyte = 1_048_576
    /// So often a server without a floor says that its disk is full before it is believed.
    private static let looksUntilFull = 120
    /// The end of a trouble is a notice.
    private static let options = ["--rate-limit", "off", "--log-level", "notice"]

    private struct Stored {
        var ids: [String] = []
        var rejected: HTTPCaller.Response?
    }

    /// Sends events until they are refused, and copying the log back has made no room either.
    ///
    /// - Parameter hasFloor: whether the server tells in its log that room is short, which it does once the log was copied
    ///   back.
    private func fill(
        _ device: DeviceCaller, _ server: ServerProcess, _ stage: Stage, hasFloor: Bool
    ) async throws -> Stored {
        var stored = Stored()
        let text = String(repeating: "x", count: 250)
        let attributes = Dictionary(uniqueKeysWithValues: (0..<8).map { ("a\($0)", AttributeValue.string(text)) })
        while stored.rejected == nil {
            let ids = (0..<Self.eventsPerCall).map { _ in UUID().uuidString }
            let events = ids.map { WireEvent.custom("filling", id: $0, attributes: attributes) }
            let response = try await device.attempt(events)
            if response.status == 204 {
                stored.ids += ids
                try #require(stored.ids.count < 50_000, "The disk does not fill up.")
                continue
            }
            // Copying the log back may make room: it is tried every second.
            // Each look is something new: on a busy machine so many of them may take longer than a minute.
            var looks = 0
            let found = try await eventually("it is known whether there is room", every: .milliseconds(20)) {
                looks += 1
                let isLogged = lines(server).last { $0.contains("the disk ") }?.contains("nearly full") == true
                return (status: try await readiness(server, stage).status, look: looks, isLogged: isLogged)
            } until: {
                $0.status == 200 || (hasFloor ? $0.isLogged : $0.look > Self.looksUntilFull)
            }
            if found.status != 200 { stored.rejected = response }
        }
        return stored
    }

    private func readiness(_ server: ServerProcess, _ stage: Stage) async throws -> HTTPCaller.Response {
        try await stage.http.answer(.GET, "\(server.address)/readyz")
    }

    private func waitUntilReady(_ server: ServerProcess, _ stage: Stage) async throws {
        try await eventually("the server serves again by itself") {
            try await readiness(server, stage).status
        } until: {
            $0 == 200
        }
    }

    private func waitUntilFull(_ server: ServerProcess, _ stage: Stage) async throws {
        let response = try await eventually("the server says that its disk is full") {
            try await readiness(server, stage)
        } until: {
            $0.status == 503
        }
        #expect(String(decoding: response.body, as: UTF8.self).contains("storageFull"), "\(response)")
    }

    private func expectError(_ stored: Stored) {
        #expect(stored.rejected?.status == 503)
        #expect(stored.rejected?.headers.first(name: "Retry-After") == "5")
        let error = stored.rejected?.description ?? ""
        #expect(error.contains("storageFull"))
    }

    private func lines(_ server: ServerProcess) -> [String] {
        server.run.standardError.split(separator: "\n").map(String.init)
    }

    @Test(
        """
        SEC-9, REL-6, WIRE-26: before the disk is full, intake ends and reads go on; once there is room it goes on by \
        itself; all that was acknowledged is there, and the log has a line for the beginning and one for the end
        """,
        .timeLimit(.minutes(15))
    )
    func fillsUp() async throws {
        try await SmallDisk.run(megabytes: 16) { disk in
            try await withStage { stage in
                try disk.takeUp(8 * Self.megabyte)
                let options = Self.options + ["--disk-floor", "5%"]
                try await stage.withServer(data: disk.data, options: options) { server in
                    let admin = stage.admin(server)
                    try await admin.createApp()
                    let device = DeviceCaller(server: server, http: stage.http)
                    try await device.linkAnonymously()
                    // The log is copied back once or twice meanwhile: what that gives free is used.
                    var stored = try await fill(device, server, stage, hasFloor: true)
                    try await waitUntilFull(server, stage)
                    expectError(stored)
                    #expect(try disk.available > Self.megabyte / 4, "space is left for work that continues")
                    for _ in 0..<100 { #expect(try await device.attempt([]).status == 503) }
                    _ = try await admin.device(device.id)
                    #expect(lines(server).count == 1, "\(server.run.standardError)")
                    try disk.giveBack()
                    try await waitUntilReady(server, stage)
                    let said = try await eventually("the log says so") {
                        lines(server)
                    } until: {
                        $0.count > 1
                    }
                    #expect(said.count == 2 && said.last?.contains("refusedCalls=") == true, "\(said)")
                    let more = try await fill(device, server, stage, hasFloor: true)
                    #expect(more.ids.count > stored.ids.count / 4, "the room is used")
                    stored.ids += more.ids
                    let found = try await admin.eventIDs(of: device.id)
                    #expect(found.count == stored.ids.count && Set(found) == Set(stored.ids))
                }
            }
        }
    }

    @Test(
        """
        SEC-9, LED-1, LED-3: below the floor a campaign that was launched before goes on to its end, and all its \
        outcomes are in the ledger
        """,
        .timeLimit(.minutes(15))
    )
    func campaignGoesOn() async throws {
        // The service answers some, and then falls silent until the disk is below the floor.
        let (recipients, answered) = (60, 20)
        let faults = try FaultPlan(seed: 1, silentAfter: answered)
        try await withPushService(streams: 10, faults: faults) { service in
            try await SmallDisk.run(megabytes: 16) { disk in
                try await withStage { stage in
                    // One upload may have a megabyte: with less than that below the floor nothing would be left for outcomes.
                    let options = Self.options + ["--disk-floor", "2MB"]
                    try await stage.withServer(data: disk.data, options: options) { server in
                        let admin = stage.admin(server)
                        try await admin.createApp()
                        try await admin.putCredentials(service.credentials)
                        let fleet = try await TestFleet.register(recipients, at: server, with: service, stage)
                        let device = DeviceCaller(server: server, http: stage.http)
                        try await device.linkAnonymously()
                        let campaign = try await admin.createCampaign("Below the floor")
                        try await admin.change(campaign, "launch")
                        try await eventually("the campaign is under way") {
                            try await admin.campaign(campaign).counts.accepted
                        } until: {
                            $0 > 0
                        }
                        try disk.takeUp(try disk.available - 3 * Self.megabyte)
                        let stored = try await fill(device, server, stage, hasFloor: true)
                        expectError(stored)
                        try await waitUntilFull(server, stage)
                        let before = try await admin.campaign(campaign)
                        #expect(before.status == .sending && before.counts.accepted <= answered)
                        service.simulator.setFaults(.none)
                        let after = try await eventually("the campaign completes") {
                            try await admin.campaign(campaign)
                        } until: {
                            $0.status == .completed
                        }
                        #expect(after.counts.accepted == recipients)
                        for member in fleet.members {
                            let outcome = try await admin.explain(campaign, device: member.device.id)
                            #expect(outcome.state == "accepted", "\(outcome.sentence)")
                        }
                        #expect(try await readiness(server, stage).status == 503, "the disk is below the floor")
                        // What the silent service took without an answer was sent again.
                        try PushRecord.check(
                            service, tokens: fleet.reachableTokens, campaigns: [campaign],
                            mayRepeat: service.simulator.history.count, "The disk was below the floor."
                        )
                    }
                }
            }
        }
    }

    @Test(
        """
        SEC-9, REL-6, WIRE-26, ADM-1: when others fill the disk to the last byte, reads go on and are audited later; \
        a kill and a start change nothing; once there is room it goes on by itself, and nothing acknowledged is lost
        """,
        .timeLimit(.minutes(15))
    )
    func filledByOthers() async throws {
        try await SmallDisk.run(megabytes: 16) { disk in
            try await withStage { stage in
                // Without a floor, so that writes meet the full disk.
                let options = Self.options + ["--disk-floor", "off"]
                let (device, ids) = try await stage.withServer(data: disk.data, options: options) { server in
                    let admin = stage.admin(server)
                    try await admin.createApp()
                    let device = DeviceCaller(server: server, http: stage.http)
                    try await device.linkAnonymously()
                    try disk.takeUp(8 * Self.megabyte)
                    var stored = try await fill(device, server, stage, hasFloor: false)
                    expectError(stored)
                    try await waitUntilFull(server, stage)
                    for _ in 0..<20 { _ = try await admin.device(device.id) }
                    for _ in 0..<50 {
                        // A small one may still fit, and then it is stored.
                        let id = UUID().uuidString
                        if try await device.attempt([.custom("more", id: id)]).status == 204 { stored.ids.append(id) }
                    }
                    // Copying the log back may end the trouble for a moment: then it is told as well, and as what it was.
                    // What has become free is used up again, until the trouble is what is told last.
                    var refusals: [Bool] = []
                    repeat {
                        let more = try await fill(device, server, stage, hasFloor: false)
                        expectError(more)
                        stored.ids += more.ids
                        try await waitUntilFull(server, stage)
                        refusals = lines(server).map { $0.contains("does not accept writes") }
                        #expect(
                            refusals == refusals.indices.map { $0.isMultiple(of: 2) }, "\(server.run.standardError)")
                    } while refusals.last != true
                    await server.kill9()
                    return (device, stored.ids)
                }
                try await stage.withServer(data: disk.data, options: options, isReady: false) { server in
                    await device.move(to: server)
                    let admin = stage.admin(server)
                    let kept = Set(try await admin.eventIDs(of: device.id))
                    #expect(kept.symmetricDifference(ids).isEmpty, "\(kept.count) kept, \(ids.count) acknowledged")
                    try disk.giveBack()
                    try await waitUntilReady(server, stage)
                    try await eventually("the readings of the full disk are in the audit log") {
                        try await admin.audit().contains { entry in
                            entry.target == "/api/v1/apps/{app}/devices/{clientId}/events"
                        }
                    } until: {
                        $0
                    }
                    let more = try await fill(device, server, stage, hasFloor: false)
                    #expect(more.ids.count > ids.count / 2, "the room is used")
                    let found = try await admin.eventIDs(of: device.id)
                    #expect(found.count == ids.count + more.ids.count)
                    #expect(Set(found).symmetricDifference(ids + more.ids).isEmpty)
                }
            }
        }
    }

    @Test(
        """
        REL-6: on a read-only disk the start is refused with a sentence; once it can be written the server starts, and \
        nothing acknowledged is lost
        """,
        .timeLimit(.minutes(10))
    )
    func readOnly() async throws {
        try await SmallDisk.run(megabytes: 16) { disk in
            try await withStage { stage in
                let (device, id) = try await stage.withServer(data: disk.data) { server in
                    let device = DeviceCaller(server: server, http: stage.http)
                    try await stage.admin(server).createApp()
                    try await device.linkAnonymously()
                    let id = UUID().uuidString
                    try await device.send([.custom("before", id: id)])
                    await server.kill9()
                    return (device, id)
                }
                try disk.setReadOnly(true)
                let run = try stage.startServer(data: disk.data)
                #expect(await run.address == nil, "it must not start")
                #expect(await run.exit == .code(1))
                #expect(run.standardError.contains("cannot be written"), "\(run.standardError)")
                try disk.setReadOnly(false)
                try await stage.withServer(data: disk.data) { server in
                    let stored = try await stage.admin(server).eventIDs(of: device.id)
                    #expect(stored == [id])
                }
            }
        }
    }
}
