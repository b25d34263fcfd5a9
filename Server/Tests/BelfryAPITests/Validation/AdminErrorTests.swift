import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Every call of the admin API")
struct AdminErrorTests {
    @Test("ADM-1: without a known key each call is a 401 that requests a bearer token, and changes nothing")
    func keys() async throws {
        try await CallStage.run { stage in
            let before = try await stage.server.contents()
            #expect(stage.adminOperations.count > 20)
            let token = try #require(stage.device.contactToken)
            for operation in stage.adminOperations {
                var call = try stage.call(operation)
                for header in ["", "Bearer", "Bearer unknown", "Basic \(TestServer.rootKey)", "Bearer \(token)", "x"] {
                    call.headers["Authorization"] = header
                    let response = try await stage.send(call)
                    try expectError(
                        response, .unauthorized, "unauthorized", target: "Authorization", "\(operation.id) \(header)"
                    )
                    #expect(response.header("WWW-Authenticate") == "Bearer", "\(operation.id)")
                }
            }
            #expect(try await stage.server.contents() == before)
        }
    }

    @Test(
        "ADM-1: a key without the described scope, or a wider one, is a 403",
        arguments: [("read", ["read"]), ("campaign", ["read", "campaign"]), ("admin", ["read", "campaign", "admin"])])
    func scopes(scope: String, granted: [String]) async throws {
        try await CallStage.run { stage in
            let key = try await stage.server.makeKey([scope])
            let before = try await stage.server.contents()
            for operation in stage.adminOperations where !granted.contains(operation.scope ?? "") {
                var call = try stage.call(operation)
                call.headers["Authorization"] = "Bearer \(key)"
                try expectError(try await stage.send(call), .forbidden, "forbidden", "\(operation.id)")
            }
            #expect(try await stage.server.contents() == before)
            for operation in stage.adminOperations
            where granted.contains(operation.scope ?? "") && operation.path.contains("{app}") {
                var call = try stage.call(operation)
                call.headers["Authorization"] = "Bearer \(key)"
                let response = try await stage.send(call)
                #expect(![401, 403].contains(response.status.code), "\(operation.id) with \(scope)")
            }
        }
    }

    @Test("ADM-1: a key of another app is a 403, and an unknown app a 404")
    func apps() async throws {
        try await CallStage.run { stage in
            let other = try await stage.server.makeApp("other")
            let before = try await stage.server.contents()
            for operation in stage.adminOperations where operation.path.contains("{app}") {
                var call = try stage.call(operation)
                call.headers["Authorization"] = "Bearer \(other)"
                try expectError(try await stage.send(call), .forbidden, "forbidden", "\(operation.id)")
                for code in ["nobody", "Shop", "a%20b", String(repeating: "x", count: 65)] {
                    call = try stage.call(operation)
                    call.address = call.address.replacing("/apps/shop", with: "/apps/\(code)")
                    let response = try await stage.send(call)
                    try expectError(response, .notFound, "unknownApp", target: "app", "\(operation.id) of \(code)")
                }
            }
            #expect(try await stage.server.contents() == before)
        }
    }

    /// Fields without which a call means nothing though its schema, which knows other kinds, can do without.
    private static let neededTogether: Set = ["push", "push.action.url", "push.title", "push.body"]

    private static let writers = [
        "createApp", "changeSettings", "putAPNsCredentials", "putFCMCredentials", "putWebPushCredentials",
        "defineAttribute", "putMessageCenter", "createCampaign", "updateCampaign",
    ]

    private static func fields(_ id: String) throws -> [SchemaField] {
        let operation = try #require(APIDescription.own.operation(id))
        let fields = APIDescription.own.fields(of: try #require(operation.body))
        #expect(!fields.isEmpty)
        // A campaign has one badge, and the stage's is in its push; in-app messages have a test of their own.
        return fields.filter { !$0.name.hasPrefix("messageCenter.badge.") && !$0.name.hasPrefix("inApp.") }
    }

    @Test("ADM-3: a value of the wrong type is a 400, one out of range a 422; both name the field", arguments: writers)
    func wrongKinds(id: String) async throws {
        try await CallStage.run { stage in
            let before = try await stage.server.contents()
            for field in try Self.fields(id) {
                for value in field.wrongValues {
                    var call = try stage.call(id)
                    call.body = call.body?.replacing(field.path, with: value)
                    let response = try await stage.send(call)
                    let isOutOfRange = value.optionalNumber.map {
                        field.types.contains("number") || (field.types.contains("integer") && $0.rounded() == $0)
                    }
                    #expect(
                        response.status.code == (isOutOfRange == true ? 422 : 400), "\(field.name) as \(value.text)")
                    let target = try response.json(ErrorBody.self).error.target
                    #expect(target == field.name, "\(field.name) as \(value.text)")
                }
            }
            #expect(try await stage.server.contents() == before)
        }
    }

    @Test("ADM-3: null counts as absent, and resets a setting", arguments: writers)
    func nulls(id: String) async throws {
        try await CallStage.run { stage in
            for field in try Self.fields(id) where !Self.neededTogether.contains(field.name) {
                var call = try stage.call(id)
                call.body = call.body?.replacing(field.path, with: .null)
                let response = try await stage.send(call)
                if field.isRequired {
                    #expect(response.status == .badRequest, "\(field.name)")
                    let target = try response.json(ErrorBody.self).error.target
                    #expect(target == field.name)
                } else {
                    #expect(call.successes.contains(response.status.code), "\(field.name): \(response.text)")
                }
            }
        }
    }

    @Test("ADM-3: an unknown field is refused by name if the description closes the object", arguments: writers)
    func unknown(id: String) async throws {
        try await CallStage.run { stage in
            let description = APIDescription.own
            let root = description.resolved(try #require(description.operation(id)?.body))
            let objects = [([String](), root)] + (try Self.fields(id)).map { ($0.path, $0.schema) }
            for (path, schema) in objects where schema["properties"] != nil {
                var call = try stage.call(id)
                call.body = call.body?.replacing(path + ["nobodyKnows"], with: .number(1))
                let name = (path + ["nobodyKnows"]).joined(separator: ".")
                let before = try await stage.server.contents()
                let response = try await stage.send(call)
                if schema["additionalProperties"] == .boolean(false) {
                    try expectError(response, .unprocessableContent, "notSupported", target: name, "\(name)")
                    #expect(try await stage.server.contents() == before)
                } else {
                    #expect(call.successes.contains(response.status.code), "\(name): \(response.text)")
                }
            }
        }
    }

    @Test("ADM-3: an unknown object is a 404, and an invalid parameter a 400 that names it")
    func parameters() async throws {
        try await CallStage.run { stage in
            let missing: [(String, String)] = [
                ("readCampaign", "/campaigns/99"), ("readDevice", "/devices/x"),
                ("deleteCampaign", "/campaigns/99"), ("recallCampaign", "/campaigns/99/recall"),
                ("listDeviceEvents", "/devices/x/events"), ("listDeviceMessages", "/devices/x/messages"),
                ("readContact", "/contacts/nobody"), ("deleteContact", "/contacts/nobody"),
                ("eraseContact", "/contacts/nobody/erase"), ("revokeDevice", "/devices/x/revoke"),
                ("explain", "/explain?campaign=99&device=x"), ("listCampaignMessages", "/campaigns/99/messages"),
                ("listContactMessages", "/contacts/nobody/messages"),
                ("readContactInbox", "/contacts/nobody/inbox"),
                ("recallContactMessage", "/contacts/nobody/messages/1/recall"),
            ]
            let before = try await stage.server.contents()
            for (id, path) in missing {
                var call = try stage.call(id)
                call.address = "/api/v1/apps/shop\(path)"
                let response = try await stage.send(call)
                #expect(response.status == .notFound, "\(id)")
                #expect(try response.json(ErrorBody.self).error.code == "notFound", "\(id)")
            }
            for id in [
                "listCampaigns", "listContacts", "listDeviceEvents", "listDeviceMessages", "listCampaignMessages",
                "listContactMessages",
            ] {
                for (query, target) in [
                    ("limit=0", "limit"), ("limit=-1", "limit"), ("limit=1.5", "limit"), ("limit=99999", "limit"),
                    ("limit=", "limit"), ("cursor=x", "cursor"), ("cursor=%00", "cursor"),
                ] {
                    var call = try stage.call(id)
                    call.address += "?\(query)"
                    let response = try await stage.send(call)
                    #expect(response.status == .badRequest, "\(id) \(query)")
                    #expect(try response.json(ErrorBody.self).error.target == target, "\(id) \(query)")
                }
            }
            #expect(try await stage.server.contents() == before)
        }
    }
}
