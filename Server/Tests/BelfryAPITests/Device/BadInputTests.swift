import BelfryWire
import Foundation
import Hummingbird
import Testing

/// A request that the device API rejects, and its error.
struct BadDeviceCall: Sendable, CustomTestStringConvertible {
    let method: HTTPRequest.Method
    let path: String
    let body: String?
    let code: String
    let target: String?
    let status: HTTPResponse.Status
    let headers: [String: String]

    var testDescription: String { "\(method.rawValue) \(path) \(body?.prefix(80) ?? "")" }

    init(
        _ method: HTTPRequest.Method, _ path: String, _ body: String?, _ code: String, target: String? = nil,
        status: HTTPResponse.Status = .badRequest, headers: [String: String] = [:]
    ) {
        self.method = method
        self.path = path
        self.body = body
        self.code = code
        self.target = target
        self.status = status
        self.headers = headers
    }
}

@Suite("Bad input to the device API")
struct BadInputTests {
    private static let longText = String(repeating: "x", count: 256)

    private static let client: [BadDeviceCall] = [
        BadDeviceCall(.post, "/client", nil, "invalidBody"),
        BadDeviceCall(.post, "/client", "", "invalidBody"),
        BadDeviceCall(.post, "/client", "[]", "invalidBody"),
        BadDeviceCall(.post, "/client", "null", "invalidBody"),
        BadDeviceCall(.post, "/client", "{", "invalidBody"),
        BadDeviceCall(.post, "/client", #"{"platform":7}"#, "invalidBody", target: "platform"),
        BadDeviceCall(.post, "/client", #"{"pushSettings":"on"}"#, "invalidBody", target: "pushSettings"),
        BadDeviceCall(
            .post, "/client", #"{"pushSettings":{"areNotificationsEnabled":"yes"}}"#, "invalidBody",
            target: "pushSettings.areNotificationsEnabled"),
        BadDeviceCall(.post, "/client", #"{"timezone":"Mars/Phobos"}"#, "unknownTimeZone", target: "timezone"),
        BadDeviceCall(.post, "/client", #"{"timezone":"+9900"}"#, "unknownTimeZone", target: "timezone"),
        BadDeviceCall(.post, "/client", #"{"timezone":"GMT+01:Z0"}"#, "unknownTimeZone", target: "timezone"),
        BadDeviceCall(.post, "/client", #"{"timezone":"UTC+01:Z0"}"#, "unknownTimeZone", target: "timezone"),
        BadDeviceCall(.post, "/client", #"{"timezone":"\u0600UTC"}"#, "unknownTimeZone", target: "timezone"),
        BadDeviceCall(.post, "/client", #"{"osVersion":"\#(longText)"}"#, "tooLong", target: "osVersion"),
        BadDeviceCall(.post, "/client", #"{"deviceModel":"a\u0000b"}"#, "invalidCharacter", target: "deviceModel"),
    ]

    private static let contact: [BadDeviceCall] = [
        BadDeviceCall(.post, "/client/contact", nil, "invalidBody"),
        BadDeviceCall(.post, "/client/contact", "{}", "missing", target: "contactFieldValue"),
        BadDeviceCall(.post, "/client/contact", #"{"contactFieldValue":null}"#, "missing", target: "contactFieldValue"),
        BadDeviceCall(.post, "/client/contact", #"{"contactFieldValue":"  "}"#, "blank", target: "contactFieldValue"),
        BadDeviceCall(.post, "/client/contact", #"{"contactFieldValue":""}"#, "blank", target: "contactFieldValue"),
        BadDeviceCall(
            .post, "/client/contact", #"{"contactFieldValue":"\#(longText)"}"#, "tooLong", target: "contactFieldValue"),
        BadDeviceCall(
            .post, "/client/contact", #"{"contactFieldValue":3}"#, "invalidBody", target: "contactFieldValue"),
        BadDeviceCall(
            .post, "/client/contact", #"{"contactFieldId":{},"contactFieldValue":"a"}"#, "invalidBody",
            target: "contactFieldId"),
        BadDeviceCall(.post, "/client/contact?anonymous=perhaps", "{}", "badRequest", target: "anonymous"),
        BadDeviceCall(.post, "/client/contact?anonymous=false", "{}", "missing", target: "contactFieldValue"),
        BadDeviceCall(.post, "/client/contact-token", "{}", "invalidBody", target: "refreshToken"),
        BadDeviceCall(.post, "/client/contact-token", #"{"refreshToken":7}"#, "invalidBody", target: "refreshToken"),
        BadDeviceCall(.post, "/client/contact-token", #"{"refreshToken":"unknown"}"#, "1101", target: "refreshToken"),
    ]

    private static let pushToken: [BadDeviceCall] = [
        BadDeviceCall(.put, "/client/push-token", nil, "invalidBody"),
        BadDeviceCall(.put, "/client/push-token", "{}", "invalidBody", target: "pushToken"),
        BadDeviceCall(.put, "/client/push-token", #"{"pushToken":null}"#, "invalidBody", target: "pushToken"),
        BadDeviceCall(.put, "/client/push-token", #"{"pushToken":7}"#, "invalidBody", target: "pushToken"),
        BadDeviceCall(.put, "/client/push-token", #"{"pushToken":""}"#, "invalidPushToken", target: "pushToken"),
        BadDeviceCall(.put, "/client/push-token", #"{"pushToken":"a b"}"#, "invalidPushToken", target: "pushToken"),
        BadDeviceCall(.put, "/client/push-token", #"{"pushToken":"é"}"#, "invalidPushToken", target: "pushToken"),
        BadDeviceCall(
            .put, "/client/push-token", #"{"pushToken":"\#(String(repeating: "a", count: 4_097))"}"#,
            "invalidPushToken", target: "pushToken"),
        BadDeviceCall(
            .put, "/client/push-token", #"{"pushToken":"ab","provider":"mqtt"}"#, "invalidBody", target: "provider"),
        BadDeviceCall(
            .put, "/client/push-token", #"{"pushToken":"ab","environment":1}"#, "invalidBody", target: "environment"),
    ]

    private static let events: [BadDeviceCall] = [
        BadDeviceCall(.post, "/client/events", nil, "invalidBody"),
        BadDeviceCall(.post, "/client/events", "{}", "invalidBody", target: "events"),
        BadDeviceCall(.post, "/client/events", "[]", "invalidBody"),
        BadDeviceCall(.post, "/client/events", #"{"events":null}"#, "invalidBody", target: "events"),
        BadDeviceCall(.post, "/client/events", #"{"events":{}}"#, "invalidBody", target: "events"),
        BadDeviceCall(.post, "/client/events", #"{"events":[{]}"#, "invalidBody"),
        BadDeviceCall(.post, "/client/events", #"{"events":[]} {}"#, "invalidBody"),
    ]

    private static let headers: [BadDeviceCall] = [
        BadDeviceCall(.post, "/client", "{}", "missing", target: "X-Client-Id", headers: ["X-Client-Id": ""]),
        BadDeviceCall(
            .post, "/client", "{}", "invalidDeviceId", target: "X-Client-Id", headers: ["X-Client-Id": "mé"]),
        BadDeviceCall(
            .post, "/client/contact?anonymous", nil, "invalidDeviceId", target: "X-Client-Id",
            headers: ["X-Client-Id": String(repeating: "x", count: 129)]),
        BadDeviceCall(
            .get, "/client/registration/1", nil, "missing", target: "X-Client-Id", headers: ["X-Client-Id": ""]),
        BadDeviceCall(
            .post, "/client", "{}", "unsupportedMediaType", target: "Content-Type", status: .unsupportedMediaType,
            headers: ["Content-Type": "text/plain"]),
        BadDeviceCall(
            .post, "/client/events", #"{"events":[]}"#, "unsupportedMediaType", target: "Content-Type",
            status: .unsupportedMediaType, headers: ["Content-Type": ""]),
        BadDeviceCall(.post, "/nothing", "{}", "notFound", status: .notFound),
        BadDeviceCall(.patch, "/client", "{}", "methodNotAllowed", status: .methodNotAllowed),
        BadDeviceCall(.get, "/client/events", nil, "methodNotAllowed", status: .methodNotAllowed),
    ]

    @Test(
        "WIRE-23: bad input is refused with its status, code and target, and changes nothing",
        arguments: client + contact + pushToken + events + headers
    )
    func rejects(_ bad: BadDeviceCall) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            try await device.call(.put, "/client/push-token", #"{"pushToken":"0123456789abcdef"}"#)
            let before = try await server.contents()
            let response = try await device.call(bad.method, bad.path, bad.body, headers: bad.headers)
            try expectError(response, bad.status, bad.code, target: bad.target)
            #expect(response.header("Cache-Control") == "no-store")
            #expect(response.header("X-Content-Type-Options") == "nosniff")
            #expect(try await server.contents() == before)
        }
    }

    @Test(
        "WIRE-7, WIRE-23: a snapshot of the wrong shape is refused as a whole, in plain words",
        arguments: [
            (#""revision":"x""#, "revision", "revision: expected a whole number"),
            (#""revision":1.5"#, "revision", "revision: expected a whole number"),
            (#""revision":1e30"#, "revision", "revision: expected a whole number"),
            (#""revision":null"#, "revision", "revision: is missing"),
            (#""revision":0"#, "revision", nil), (#""revision":-1"#, "revision", nil),
            (#""pushEnabled":"yes""#, "pushEnabled", "pushEnabled: expected true or false"),
            (#""pushEnabled":null"#, "pushEnabled", "pushEnabled: is missing"),
            (#""deviceId":"6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F2A11""#, "deviceId", nil),
            (#""registrationId":"me""#, "registrationId", nil),
            (#""registrationId":7"#, "registrationId", "registrationId: expected a string"),
            (#""tags":"sports""#, "tags", "tags: expected a list"),
            (#""tags":["a",3]"#, "tags[1]", "tags[1]: expected a string"),
            (#""attributes":[]"#, "attributes", "attributes: expected an object"),
            (#""partyIdentifier":{"type":"email"}"#, "partyIdentifier.name", "partyIdentifier.name: is missing"),
            (#""pushProvider":"mqtt""#, "pushProvider", "pushProvider: expected one of apns, fcm, webpush"),
        ] as [(String, String, String?)]
    )
    func snapshots(member: String, target: String, message: String?) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            try await device.call(.put, "/client/push-token", #"{"pushToken":"0123456789abcdef"}"#)
            var members = [
                "deviceId": #""\#(device.id)""#, "registrationId": #""\#(UUID().uuidString)""#, "revision": "1",
                "pushEnabled": "true",
            ]
            let parts = member.split(separator: ":", maxSplits: 1)
            members[parts[0].filter { $0 != "\"" }] = String(parts[1])
            let body = "{" + members.map { #""\#($0)":\#($1)"# }.joined(separator: ",") + "}"
            let before = try await server.contents()
            let response = try await device.call(.post, "/client/registration", body)
            #expect(response.status == .badRequest)
            let error = try response.json(ErrorBody.self).error
            #expect(error.target == target)
            if let message { #expect(error.message == message) }
            #expect(try await server.contents() == before)
        }
    }

    @Test("WIRE-22: an unknown app code is a 400 on every call, before any other check")
    func unknownApp() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let calls: [(HTTPRequest.Method, String)] = [
                (.post, "client"), (.post, "client/contact"), (.post, "client/contact?anonymous"),
                (.post, "client/contact-token"), (.put, "client/push-token"), (.delete, "client/push-token"),
                (.post, "client/events"), (.post, "client/registration"), (.get, "client/registration/x"),
            ]
            for code in ["nobody", "Shop", "a%20b", "%ff", String(repeating: "x", count: 65)] {
                for (method, path) in calls {
                    let response = try await server.call(method, "/v3/apps/\(code)/\(path)")
                    try expectError(response, .badRequest, "unknownApp", target: "appCode", "\(method) \(path)")
                }
                let fourth = try await server.call(.post, "/v4/apps/\(code)/client/events")
                try expectError(fourth, .badRequest, "unknownApp", target: "appCode")
            }
        }
    }
}
