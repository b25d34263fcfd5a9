import BelfryModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

@testable import BelfryAPI

@Suite("Results of campaigns at a device, over the admin API")
struct DeviceMessagesTests {
    private static let draft = AdminAccessTests.draft

    /// A device, and so many campaigns that are launched and planned.
    private static func launch(_ count: Int, on server: TestServer) async throws -> TestDevice {
        try await server.makeApp()
        _ = try await server.admin(.put, "/apps/shop/credentials/apns", try Credentials.body())
        var device = TestDevice(server)
        try await device.start(contactKey: "anna")
        for number in 1...count {
            let created = try await server.admin(.post, "/apps/shop/campaigns", draft)
            #expect(try created.json(CampaignStatusResponse.self).id == "\(number)")
            _ = try await server.admin(.post, "/apps/shop/campaigns/\(number)/launch")
        }
        while try await server.planner.planNext() {}
        return device
    }

    @Test("LED-2, ADM-3: a device's campaigns come newest first, page by page, each with its sentence")
    func pages() async throws {
        try await TestServer.run { server in
            let device = try await Self.launch(5, on: server)
            // A draft had nobody in its audience yet.
            _ = try await server.admin(.post, "/apps/shop/campaigns", Self.draft)
            let path = "/apps/shop/devices/\(device.id)/messages"
            var messages: [DeviceMessagesResponse.Entry] = []
            var pages: [Int] = []
            var cursor: String?
            repeat {
                let more = cursor.map { "&cursor=\($0)" } ?? ""
                let page = try await server.admin(.get, "\(path)?limit=2\(more)").json(DeviceMessagesResponse.self)
                messages += page.messages
                pages.append(page.messages.count)
                cursor = page.cursor
            } while cursor != nil
            #expect(pages == [2, 2, 1])
            #expect(messages.map(\.campaign) == ["5", "4", "3", "2", "1"])
            // A full last page is the last.
            let all = try await server.admin(.get, "\(path)?limit=5").json(DeviceMessagesResponse.self)
            #expect(all.messages == messages && all.cursor == nil)
            let expected = DeviceMessagesResponse.Entry(
                campaign: "5", name: "Sale", kind: .push, state: "pending", sentence: "It has not been sent yet.",
                at: Timestamp.text(server.clock.now)
            )
            #expect(messages.first == expected)
        }
    }

    @Test("LED-2: the list and the explanation of a campaign agree")
    func explained() async throws {
        try await TestServer.run { server in
            let device = try await Self.launch(2, on: server)
            _ = try await server.admin(.post, "/apps/shop/campaigns/2/pause")
            let list = try await server.admin(.get, "/apps/shop/devices/\(device.id)/messages")
                .json(DeviceMessagesResponse.self)
            #expect(list.messages.map(\.campaign) == ["2", "1"])
            for message in list.messages {
                let path = "/apps/shop/explain?campaign=\(message.campaign)&device=\(device.id)"
                let explanation = try await server.admin(.get, path).json(ExplainResponse.self)
                #expect(message.state == explanation.state && message.reason == explanation.reason)
                #expect(message.sentence == explanation.sentence)
                #expect(message.at == explanation.history.last?.at)
            }
            #expect(list.messages.first?.sentence.contains("paused") == true)
        }
    }

    @Test("LED-2, ADM-3: another app's device is a 404, a bad page size a 400; a device without campaigns has none")
    func rejections() async throws {
        try await TestServer.run { server in
            let device = try await Self.launch(1, on: server)
            try await server.makeApp("other")
            let foreign = try await server.admin(.get, "/apps/other/devices/\(device.id)/messages")
            try expectError(foreign, .notFound, "notFound", target: "device")
            let path = "/apps/shop/devices/\(device.id)/messages"
            for (query, target) in [
                ("limit=0", "limit"), ("limit=201", "limit"), ("limit=x", "limit"), ("cursor=x", "cursor"),
            ] {
                let response = try await server.admin(.get, "\(path)?\(query)")
                #expect(response.status == .badRequest)
                #expect(try response.json(ErrorBody.self).error.target == target)
            }
            #expect(
                try await server.admin(.get, "\(path)?limit=200").json(DeviceMessagesResponse.self).messages.count == 1)
            var late = TestDevice(server)
            try await late.start()
            let none = try await server.admin(.get, "/apps/shop/devices/\(late.id)/messages")
            #expect(try none.json(DeviceMessagesResponse.self) == DeviceMessagesResponse(messages: []))
        }
    }

    @Test("CAMP-5: a resume of what has never begun is refused like a launch that is too late, and changes nothing")
    func lateResume() async throws {
        try await TestServer.run { server in
            _ = try await Self.launch(1, on: server)
            let draft = String(Self.draft.dropLast()) + #","schedule":{"at":"2026-12-01T09:00:00Z"}}"#
            _ = try await server.admin(.post, "/apps/shop/campaigns", draft)
            let path = "/apps/shop/campaigns/2"
            for step in ["launch", "pause"] { _ = try await server.admin(.post, "\(path)/\(step)") }
            server.clock.advance(by: 30 * 86_400)
            let late = try await server.admin(.post, "\(path)/resume")
            try expectError(late, .unprocessableContent, "passed", target: "schedule.at")
            #expect(try await server.admin(.get, path).json(CampaignResponse.self).status == .paused)
        }
    }

    @Test("CAMP-5, LED-2: a scheduled campaign says when it begins, in its response and in its explanation")
    func scheduled() async throws {
        try await TestServer.run { server in
            let device = try await Self.launch(1, on: server)
            let draft = String(Self.draft.dropLast()) + #","schedule":{"at":"2026-12-01T09:00:00Z"}}"#
            _ = try await server.admin(.post, "/apps/shop/campaigns", draft)
            let path = "/apps/shop/campaigns/2"
            #expect(try await server.admin(.get, path).json(CampaignResponse.self).scheduledAt == nil)
            for step in ["launch", "pause", "resume"] {
                _ = try await server.admin(.post, "\(path)/\(step)")
                let campaign = try await server.admin(.get, path).json(CampaignResponse.self)
                #expect(campaign.scheduledAt == "2026-12-01T09:00:00.000Z" && campaign.launchedAt == nil, "\(step)")
            }
            let explained = try await server.admin(.get, "/apps/shop/explain?campaign=2&device=\(device.id)")
            let explanation = try explained.json(ExplainResponse.self)
            #expect(explanation.state == "notInAudience")
            #expect(
                explanation.sentence
                    == "The campaign starts at 2026-12-01T09:00:00.000Z. Its audience is selected then."
            )
            // Nobody is in its ledger yet.
            let list = try await server.admin(.get, "/apps/shop/devices/\(device.id)/messages")
            #expect(try list.json(DeviceMessagesResponse.self).messages.map(\.campaign) == ["1"])
        }
    }
}
