import BelfryAPI
import BelfryModel
import BelfryServerModel
import Foundation
import NIOHTTP1

/// An operator of one app.
struct AdminCaller: Sendable {
    /// Events in one page; fewer than the most that is allowed, so that paging is used.
    static let eventsPerPage = 200

    let app: String
    let server: ServerProcess
    let http: HTTPCaller

    func createApp() async throws {
        _ = try await send(.POST, "/api/v1/apps", CreateAppRequest(code: app, name: app), as: CreateAppResponse.self)
    }

    func putCredentials(_ credentials: APNsCredentialsRequest) async throws {
        _ = try await send(.PUT, path("credentials/apns"), credentials, as: APNsCredentialsResponse.self)
    }

    /// Composes a push campaign to everyone; it stays a draft.
    func createCampaign(_ name: String) async throws -> String {
        let request = CampaignRequest(
            name: name, kind: .push, audience: .everyone, push: PushContent(title: name, body: "To whom it may concern")
        )
        return try await send(.POST, path("campaigns"), request, as: CampaignStatusResponse.self).id
    }

    /// Launch, pause, resume or cancel.
    @discardableResult
    func change(_ campaign: String, _ verb: String) async throws -> CampaignStatus {
        try await send(.POST, path("campaigns/\(campaign)/\(verb)"), String?.none, as: CampaignStatusResponse.self)
            .status
    }

    func campaign(_ id: String) async throws -> CampaignResponse {
        try await get(path("campaigns/\(id)"))
    }

    func device(_ id: String) async throws -> DeviceResponse {
        try await get(path("devices/\(id)"))
    }

    func explain(_ campaign: String, device: String) async throws -> ExplainResponse {
        try await get(path("explain?campaign=\(campaign)&device=\(device)"))
    }

    /// The ids of all events that are stored for the device, newest first, each as often as it is there.
    func eventIDs(of device: String) async throws -> [String] {
        try await events(of: device).map(\.id)
    }

    /// All events that are stored for the device, newest first.
    func events(of device: String) async throws -> [DeviceEventsResponse.Entry] {
        var events: [DeviceEventsResponse.Entry] = []
        var cursor: String?
        repeat {
            let position = cursor.map { "&cursor=\($0)" } ?? ""
            let page: DeviceEventsResponse = try await get(
                path("devices/\(device)/events?limit=\(Self.eventsPerPage)\(position)")
            )
            events += page.events
            cursor = page.cursor
        } while cursor != nil
        return events
    }

    /// The newest entries of the audit log that concern the app.
    func audit() async throws -> [AuditListResponse.Entry] {
        let response: AuditListResponse = try await get("/api/v1/audit?app=\(app)&limit=1000")
        return response.entries
    }

    func path(_ rest: String) -> String { "/api/v1/apps/\(app)/\(rest)" }

    private var authorization: [(String, String)] { [("Authorization", "Bearer \(server.adminKey)")] }

    private func get<Response: Decodable>(_ path: String) async throws -> Response {
        try await http.call(.GET, server.address + path, headers: authorization).decoded()
    }

    func send<Response: Decodable>(
        _ method: HTTPMethod, _ path: String, _ body: (some Encodable)?, as type: Response.Type
    ) async throws -> Response {
        let body = try body.map { try JSONEncoder().encode($0) }
        return try await http.call(method, server.address + path, headers: authorization, body: body).decoded()
    }
}

extension Stage {
    func admin(_ server: ServerProcess, app: String = "shop") -> AdminCaller {
        AdminCaller(app: app, server: server, http: http)
    }
}
