import BelfryAPI
import BelfryModel
import BelfryWire
import Foundation
import Hummingbird

/// An installation: it keeps what the server gave it and sends it back with every call.
package struct TestDevice: Sendable {
    package let server: TestServer
    package let app: String
    package var id = UUID().uuidString
    package var state: String?
    package var contactToken: String?
    package var refreshToken: String?
    package var contactReference: String?

    package init(_ server: TestServer, app: String = "shop") {
        self.server = server
        self.app = app
    }

    /// A call; `path` begins behind the app.
    ///
    /// - Parameter headers: added to the device's own; an empty value leaves the header out.
    @discardableResult
    package mutating func call(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, headers: [String: String] = [:],
        version: String = "v3"
    ) async throws -> APIResponse {
        var all = ["X-Client-Id": id, "X-Request-Order": String(server.clock.now.milliseconds)]
        all["X-Client-State"] = state
        all["X-Contact-Token"] = contactToken
        all.merge(headers) { $1 }
        let answer = try await server.call(method, "/\(version)/apps/\(app)\(path)", body, headers: all)
        keep(answer)
        return answer
    }

    private mutating func keep(_ answer: APIResponse) {
        state = answer.header("X-Client-State") ?? state
        if let link = try? answer.json(ContactLinkResponse.self) {
            contactToken = link.contactToken
            refreshToken = link.refreshToken
            contactReference = link.contactReference
        } else if let renewed = try? answer.json(ContactTokenResponse.self) {
            contactToken = renewed.contactToken
        }
    }

    /// Registers the device's properties and links it, anonymously or to a contact.
    package mutating func start(contactKey: String? = nil) async throws {
        try await call(.post, "/client", #"{"platform":"ios","sdkVersion":"1.0.0"}"#)
        if let contactKey {
            try await call(.post, "/client/contact", #"{"contactFieldId":3,"contactFieldValue":"\#(contactKey)"}"#)
        } else {
            try await call(.post, "/client/contact?anonymous=true")
        }
    }

    @discardableResult
    package mutating func track(_ events: String, version: String = "v3") async throws -> APIResponse {
        try await call(.post, "/client/events", #"{"events":[\#(events)]}"#, version: version)
    }

    /// A snapshot with the fields that every one has, and others as JSON members behind a comma.
    package func snapshot(
        revision: Int, registrationID: String = UUID().uuidString, _ others: String = ""
    ) -> String {
        """
        {"deviceId":"\(id)","registrationId":"\(registrationID)","revision":\(revision),"pushEnabled":true\(others)}
        """
    }

    package func contactKey() async throws -> String? {
        try await server.device(id, app: app).contactKey
    }

    package func events() async throws -> [DeviceEventsResponse.Entry] {
        try await server.admin(.get, "/apps/\(app)/devices/\(id)/events").json(DeviceEventsResponse.self).events
    }
}
