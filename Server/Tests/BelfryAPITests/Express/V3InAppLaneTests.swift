import BelfryModel
import BelfryWire
import Foundation
import Testing

@testable import BelfryAPI

/// Uploads of an app with in-app messages go the long way, unless they say that they want none (IAM-13, PERF-4).
@Suite("The express lane and in-app messages")
struct V3InAppLaneTests {
    private static func upload(_ story: inout V3InAppStory, _ name: String, _ others: String = "") -> WireRequest {
        let body = story.body([name], "{}", type: "custom", others)
        return WireRequest(
            "/client/events", body, by: story.device, order: story.server.clock.now.milliseconds, version: "v4")
    }

    @Test("IAM-13, PERF-4: the lane is left only if there may be a message", .timeLimit(.minutes(15)))
    func watch() async throws {
        try await TestServer.run(over: .lane) { server in
            var story = try await V3InAppStory(server)
            let connection = try await WireConnection.open(to: server)
            func answer(_ name: String, _ others: String = "") async throws -> WireResponse {
                // The cached state of the app is as old as its last lookup.
                server.clock.advance(by: 2)
                _ = try await story.device.call(.get, "/client/message-centers")
                return try #require(try await connection.answer(to: Self.upload(&story, name, others)))
            }
            let early = try await answer("purchase")
            #expect(early.status == 204 && early.isExpress(of: server))
            let id = try await story.publish(V3InAppStory.modal(on: "purchase"))
            let quiet = try await answer("purchase", #","dnd":true"#)
            #expect(quiet.status == 204 && quiet.isExpress(of: server))
            let other = try await answer("browse")
            #expect(other.status == 204 && !other.isExpress(of: server))
            let shown = try await answer("purchase")
            #expect(shown.status == 200 && shown.body.contains(#""campaignId":"\#(id)""#))
            _ = try await server.admin(.post, "/apps/shop/campaigns/\(id)/cancel")
            let late = try await answer("purchase")
            #expect(late.status == 204 && late.isExpress(of: server))
            await connection.close()
        }
    }

    @Test("IAM-13, WIRE-6: both ways respond alike and store alike", .timeLimit(.minutes(15)))
    func alike() async throws {
        let lane = try await TestServer.run(over: .lane) { try await Self.script($0) }
        let plain = try await TestServer.run(over: .router) { try await Self.script($0) }
        #expect(lane.answers == plain.answers)
        #expect(lane.contents == plain.contents)
        #expect(plain.answers.contains { $0.contains("onEventAction") && $0.contains(#""message":"#) })
    }

    /// The responses to a device, and the store's content afterwards.
    private static func script(_ server: TestServer) async throws -> (answers: [String], contents: [String]) {
        var story = try await V3InAppStory(server, client: "6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F2A11")
        _ = try await story.publish(V3InAppStory.modal(on: "purchase", "Sale", #","displayLimit":2"#))
        _ = try await story.publish(V3InAppStory.action(on: "browse", #"{"type":"event","name":"rate"}"#))
        var answers: [String] = []
        for others in [
            "", #","dnd":true"#, #","deviceEventState":{"a":1}"#, #","viewedMessages":[]"#, #","dnd":false"#,
        ] {
            for names in [["browse"], ["purchase", "browse"], ["other"], []] {
                server.clock.advance(by: 40)
                let body = story.body(names, "{}", type: "custom", others)
                let answer = try await story.device.call(.post, "/client/events", body, version: "v4")
                answers.append("\(answer.status.code) \(answer.text)")
            }
        }
        return (answers, try await server.contents())
    }
}
