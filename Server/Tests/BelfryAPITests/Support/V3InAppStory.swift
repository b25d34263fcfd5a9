import BelfryAPI
import BelfryModel
import BelfryWire
import Foundation
import Testing

/// An app with in-app campaigns, and a device with a client of version 3, which keeps no messages.
struct V3InAppStory: Sendable {
    let server: TestServer
    var device: TestDevice
    private var count = 0

    /// - Parameter client: nil for one of its own.
    init(_ server: TestServer, client: String? = nil, contactKey: String = "anna") async throws {
        self.server = server
        try await server.makeApp()
        device = TestDevice(server)
        if let client { device.id = client }
        try await device.start(contactKey: contactKey)
    }

    static func modal(on event: String, _ title: String = "Sale", _ others: String = "") -> String {
        #"""
        {"type":"modal","trigger":{"event":"\#(event)"},"content":{"title":"\#(title)",
         "buttons":[{"id":"go","text":"Go","action":{"type":"close"}}]}\#(others)}
        """#
    }

    static func action(on event: String, _ actions: String, _ others: String = "") -> String {
        #"{"type":"action","trigger":{"event":"\#(event)"},"content":{"actions":[\#(actions)]}\#(others)}"#
    }

    /// Makes the campaign of a message and launches it; returns its number.
    func publish(_ message: String, audience: String = #"{"everyone":true}"#) async throws -> String {
        let body = #"{"name":"Sale","kind":"inApp","audience":\#(audience),"inApp":\#(message)}"#
        let made = try await server.admin(.post, "/apps/shop/campaigns", body)
        let id = try made.json(CampaignStatusResponse.self).id
        let launched = try await server.admin(.post, "/apps/shop/campaigns/\(id)/launch")
        #expect(launched.status == .accepted, "\(launched.text)")
        return id
    }

    func explain(_ campaign: String) async throws -> ExplainResponse {
        try await server.admin(.get, "/apps/shop/explain?campaign=\(campaign)&device=\(device.id)")
            .json(ExplainResponse.self)
    }

    /// A body of events that happen now.
    ///
    /// - Parameter others: further members, behind a comma.
    mutating func body(
        _ names: [String], _ attributes: String = "{}", type: String = "custom", _ others: String = ""
    ) -> String {
        let at = Timestamp.text(server.clock.now)
        let events = names.map { name in
            count += 1
            return
                #"{"id":"o\#(count)","type":"\#(type)","name":"\#(name)","timestamp":"\#(at)","attributes":\#(attributes)}"#
        }
        return #"{"events":[\#(events.joined(separator: ","))]\#(others)}"#
    }

    /// Sends events that happen now; returns what there is to say, nil when there is nothing.
    @discardableResult
    mutating func send(
        _ names: String..., attributes: String = "{}", type: String = "custom", others: String = "",
        version: String = "v4"
    ) async throws -> EventBatchResponse? {
        let text = body(names, attributes, type: type, others)
        return try await send(body: text, version: version)
    }

    @discardableResult
    mutating func send(body: String, version: String = "v4") async throws -> EventBatchResponse? {
        let response = try await device.call(.post, "/client/events", body, version: version)
        #expect(response.header("X-Client-State") != nil)
        guard response.status != .noContent else { return nil }
        #expect(response.status == .ok, "\(response.text)")
        return try response.json(EventBatchResponse.self)
    }

    /// The message became visible, a moment after its response.
    mutating func see(_ campaign: String) async throws {
        server.clock.advance(by: 1)
        try await send("inapp:viewed", attributes: #"{"campaignId":"\#(campaign)"}"#, type: "internal")
    }
}
