import BelfrySimulators
import Foundation
import Testing

@Suite("The server is stopped")
struct DrainTests {
    static let devices = 150
    static let talkers = 4

    @Test(
        "CLI-2: SIGTERM ends requests and a running campaign cleanly: exit code 0, nothing lost or repeated",
        .timeLimit(.minutes(15))
    )
    func drains() async throws {
        // 10 sends at a time, 50 ms each: the campaign is under way for a while.
        try await withPushService(streams: 5, answerAfter: .milliseconds(50)) { service in
            try await withStage { stage in
                let (fleet, campaign, conversations) = try await stage.withServer { server in
                    try await terminateAmidWork(server, service, stage)
                }
                try await stage.withServer { server in
                    let admin = stage.admin(server)
                    let answer = try await eventually("the campaign completes") {
                        try await admin.campaign(campaign)
                    } until: {
                        $0.status == .completed
                    }
                    #expect(answer.counts.audience == fleet.members.count + Self.talkers)
                    #expect(answer.counts.accepted == fleet.members.count)
                    #expect(answer.counts.suppressed == Self.talkers)
                    let received = service.simulator.acceptedCounts()
                    #expect(Set(received.keys) == fleet.reachableTokens)
                    #expect(received.values.allSatisfy { $0.values.reduce(0, +) == 1 }, "nobody got it twice")
                    for var conversation in conversations {
                        await conversation.device.move(to: server)
                        try await conversation.check(admin, "After SIGTERM.")
                        try await conversation.repeatUnacknowledged()
                        try await conversation.check(admin, "After SIGTERM, everything repeated.")
                    }
                }
            }
        }
    }

    private func terminateAmidWork(
        _ server: ServerProcess, _ service: PushService, _ stage: Stage
    ) async throws -> (TestFleet, campaign: String, [Conversation]) {
        let admin = stage.admin(server)
        try await admin.createApp()
        try await admin.putCredentials(service.credentials)
        let fleet = try await TestFleet.register(Self.devices, at: server, with: service, stage)
        var conversations: [Conversation] = []
        for number in 0..<Self.talkers {
            let device = DeviceCaller(server: server, http: stage.http)
            try await device.linkAnonymously()
            conversations.append(Conversation(device: device, seed: UInt64(number)))
        }
        let campaign = try await admin.createCampaign("Farewell")

        // A request that is half written all the while.
        let events = conversations[0].newEvents()
        let writer = conversations[0].device
        let (head, body) = try await writer.eventsRequest(events)
        let half = try await RawCall.open(to: server)
        try await half.write(head + body.prefix(body.count / 2))

        conversations = try await talk(conversations) { _ in
            try await admin.change(campaign, "launch")
            try await eventually("the campaign is under way", every: .milliseconds(10)) {
                service.reached.count
            } until: {
                $0 >= Self.devices / 10
            }
            server.run.send(SIGTERM)
            try await eventually("nobody new is let in", every: .milliseconds(10)) {
                await stage.http.isAnswered("\(server.address)/healthz")
            } until: {
                !$0
            }
            try await half.write(body.suffix(body.count - body.count / 2))
            #expect(try await half.answer.hasPrefix("HTTP/1.1 2"), "a request in flight is answered")
            #expect(await server.run.exit == .code(0))
        }
        for index in conversations.indices where conversations[index].device === writer {
            conversations[index].note(.init(events: events, isAcknowledged: true))
        }
        return (fleet, campaign, conversations)
    }
}

extension HTTPCaller {
    fileprivate func isAnswered(_ url: String) async -> Bool {
        await (try? call(.GET, url)) != nil
    }
}
