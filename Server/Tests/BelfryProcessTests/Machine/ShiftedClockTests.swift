import BelfryModel
import BelfrySimulators
import BelfryWire
import Foundation
import Testing

/// REL-6: the machine's clock is wrong, or an hour passes.
@Suite("The clock is set", .enabled(if: ShiftedClock.isPermitted, ShiftedClock.reason))
struct ShiftedClockTests {
    private static let day: TimeInterval = 86_400

    /// The server has noticed: its responses say so.
    private func waitUntilSet(_ server: ServerProcess, _ clock: ShiftedClock, _ stage: Stage) async throws {
        try await eventually("the server's clock is set") {
            let response = try await stage.http.answer(.GET, "\(server.address)/readyz")
            return response.headers.first(name: "Date").flatMap(Self.date) ?? .distantPast
        } until: {
            abs($0.timeIntervalSince(clock.now)) < 60
        }
    }

    private static func date(_ text: String) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: text)
    }

    @Test(
        """
        REL-6, WIRE-26: with the clock a day behind, right again, and a day ahead, devices and operators are served, \
        campaigns reach everyone once, and nothing acknowledged is lost
        """,
        .timeLimit(.minutes(15))
    )
    func setByADay() async throws {
        try await withStage { stage in
            let clock = try await ShiftedClock(stage)
            try await withPushService(isByAnyClock: true, clock: { clock.now }) { service in
                try await stage.withServer(environment: clock.environment) { server in
                    let admin = stage.admin(server)
                    try await admin.createApp()
                    try await admin.putCredentials(service.credentials)
                    let fleet = try await TestFleet.register(20, at: server, with: service, stage)
                    let device = DeviceCaller(server: server, http: stage.http)
                    try await device.link(to: "anna")
                    var ids: [String] = []
                    var campaigns: [String] = []
                    for shift in [0, -Self.day, 0, Self.day] {
                        try clock.set(to: shift)
                        try await waitUntilSet(server, clock, stage)
                        // The token of a day ago has expired; a login brings another.
                        if shift > 0 { try await device.link(to: "anna") }
                        let id = UUID().uuidString
                        try await device.send([.custom("tick", id: id)])
                        ids.append(id)
                        let campaign = try await admin.createCampaign("At \(shift)")
                        try await admin.change(campaign, "launch")
                        campaigns.append(campaign)
                        try await eventually("the campaign completes with the clock at \(shift)") {
                            try await admin.campaign(campaign)
                        } until: {
                            $0.status == .completed
                        }
                    }
                    #expect(Set(try await admin.eventIDs(of: device.id)) == Set(ids))
                    try PushRecord.check(
                        service, tokens: fleet.reachableTokens, campaigns: campaigns, mayRepeat: 0, "The clock was set."
                    )
                }
            }
        }
    }

    /// Requests that the service has lost.
    private static func attempts(at service: PushService) -> Int {
        service.simulator.statistics.faults.values.reduce(0, +)
    }

    private func waitForAttempt(after count: Int, at service: PushService, _ moment: String) async throws {
        try await eventually("it is tried \(moment)") {
            Self.attempts(at: service)
        } until: {
            $0 > count
        }
    }

    @Test(
        "REL-6, PUSH-5: a push service that is gone for an hour is tried in each quarter, and everyone is served once",
        .timeLimit(.minutes(15))
    )
    func pushServiceGone() async throws {
        let gone = try FaultPlan(seed: 1, rates: [.connectionLostBefore: 1])
        try await withStage { stage in
            let clock = try await ShiftedClock(stage)
            try await withPushService(isByAnyClock: true, clock: { clock.now }) { service in
                try await stage.withServer(environment: clock.environment) { server in
                    let admin = stage.admin(server)
                    try await admin.createApp()
                    try await admin.putCredentials(service.credentials)
                    let fleet = try await TestFleet.register(20, at: server, with: service, stage)
                    service.simulator.setFaults(gone)
                    let campaign = try await admin.createCampaign("Late")
                    try await admin.change(campaign, "launch")
                    try await waitForAttempt(after: 0, at: service, "at once")
                    for minutes in [15, 30, 45, 60] {
                        let before = Self.attempts(at: service)
                        try clock.set(to: Double(minutes) * 60)
                        try await waitUntilSet(server, clock, stage)
                        try await waitForAttempt(after: before, at: service, "after \(minutes) minutes")
                        #expect(try await admin.campaign(campaign).status == .sending, "it waits")
                        #expect(try await stage.http.call(.GET, "\(server.address)/readyz").status == 200)
                    }
                    service.simulator.setFaults(.none)
                    let response = try await eventually("the campaign completes") {
                        try await admin.campaign(campaign)
                    } until: {
                        $0.status == .completed
                    }
                    #expect(response.counts.accepted == fleet.members.count)
                    try PushRecord.check(
                        service, tokens: fleet.reachableTokens, campaigns: [campaign], mayRepeat: 0,
                        "The service was gone."
                    )
                }
            }
        }
    }
}
