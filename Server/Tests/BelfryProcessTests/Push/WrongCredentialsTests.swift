import BelfryAPI
import BelfryModel
import BelfryServerModel
import BelfrySimulators
import Testing

@Suite("The push service rejects the credentials")
struct WrongCredentialsTests {
    static let devices = 40

    @Test(
        "PUSH-21, REG-31, REG-33: wrong credentials pause a campaign, right ones and a resume reach everyone",
        .timeLimit(.minutes(15))
    )
    func pauseAndResume() async throws {
        try await withPushService { service in
            try await withStage { stage in
                try await stage.withServer { server in
                    let admin = stage.admin(server)
                    try await admin.createApp()
                    try await admin.putCredentials(service.wrongCredentials)
                    let fleet = try await TestFleet.register(Self.devices, at: server, with: service, stage)
                    let campaign = try await admin.createCampaign("Locked out")
                    try await admin.change(campaign, "launch")
                    try await checkPaused(campaign, fleet, service, admin)

                    try await admin.putCredentials(service.credentials)
                    let mended = try await devices(of: fleet, admin)
                    #expect(mended.allSatisfy { $0.optOut == nil && $0.push.eligible })
                    try await admin.change(campaign, "resume")
                    try await checkDelivered(campaign, fleet, service, admin)
                }
            }
        }
    }

    private func checkPaused(
        _ campaign: String, _ fleet: TestFleet, _ service: PushService, _ admin: AdminCaller
    ) async throws {
        let error = APNsSimulator.Reason.invalidProviderToken.rawValue
        let paused = try await eventually("the campaign pauses") {
            try await admin.campaign(campaign)
        } until: {
            $0.status == .paused
        }
        #expect(try #require(paused.statusReason).contains(error), "it says why")

        // Sends in flight are rejected as well; they have ended when each device has its opt-out. There are so few that
        // all are in flight at once, and the pause leaves none out.
        let touched = try await eventually("all refusals are recorded") {
            try await devices(of: fleet, admin).filter { $0.optOut?.reason == .providerAuthentication }
        } until: { touched in
            touched.count == Self.devices && touched.count == service.simulator.statistics.refused[error]
        }
        #expect(touched.allSatisfy { !$0.push.eligible && $0.push.reason != nil })
        let device = try #require(touched.first)
        #expect(try await admin.explain(campaign, device: device.deviceId).state == DeliveryState.pending.rawValue)

        let counts = try await admin.campaign(campaign).counts
        #expect(counts.audience == Self.devices)
        #expect(counts.pending == Self.devices, "no send is lost")
        #expect(service.reached.isEmpty)
    }

    private func checkDelivered(
        _ campaign: String, _ fleet: TestFleet, _ service: PushService, _ admin: AdminCaller
    ) async throws {
        let response = try await eventually("the campaign completes") {
            try await admin.campaign(campaign)
        } until: {
            $0.status != .sending
        }
        #expect(response.status == .completed)
        #expect(response.counts.accepted == Self.devices)
        #expect(response.counts.pending == 0)
        let received = service.simulator.acceptedCounts()
        #expect(Set(received.keys) == fleet.reachableTokens)
        #expect(received.values.allSatisfy { $0.values.reduce(0, +) == 1 })
        #expect(try await devices(of: fleet, admin).allSatisfy { $0.push.eligible })
    }

    private func devices(of fleet: TestFleet, _ admin: AdminCaller) async throws -> [DeviceResponse] {
        var answers: [DeviceResponse] = []
        for member in fleet.members { answers.append(try await admin.device(member.device.id)) }
        return answers
    }
}
