import Foundation
import Testing

@testable import BelfrySimulators

@Suite("APNs request check")
struct APNsRequestCheckTests {
    @Test("PUSH-21: requests that Apple refuses are refused with Apple's reason", arguments: CheckRow.all)
    func result(_ row: CheckRow) {
        #expect(row.result?.reason == row.expected)
    }

    @Test("PUSH-21: every reason has the status that Apple documents")
    func statuses() {
        let statuses = Set(APNsSimulator.Reason.allCases.map(\.status))
        let documented: Set<Int> = [400, 403, 404, 405, 410, 413, 429, 500, 503]
        #expect(statuses == documented)
        let gone = APNsSimulator.Reason.allCases.filter { $0.status == 410 }
        let documentedAsGone: [APNsSimulator.Reason] = [.expiredToken, .unregistered]
        #expect(gone == documentedAsGone)
    }

    @Test("PUSH-21: 410 has the time in milliseconds")
    func timestamp() {
        let since = Date(timeIntervalSince1970: 1_700_000_000.25)
        var row = CheckRow("", .unregistered)
        row.device.state = .unregistered(since: since)
        #expect(row.result == APNsRequestError(.unregistered, timestamp: since))
        let response = SimulatedAPNsResponse.rejected(APNsRequestError(.unregistered, timestamp: since), apnsID: "id")
        #expect(response.body == #"{"reason":"Unregistered","timestamp":1700000000250}"#)
    }

    @Test("PUSH-1: the payload limit is 4,096 bytes, and 5,120 for VoIP")
    func payloadLimits() {
        func result(_ length: Int, _ pushType: String) -> APNsSimulator.Reason? {
            let frame = #"{"aps":{},"x":""}"#
            let filler = String(repeating: "x", count: length - frame.utf8.count)
            var row = CheckRow("", nil)
            row.head.pushType = pushType
            row.body = #"{"aps":{},"x":"\#(filler)"}"#
            return row.result?.reason
        }
        #expect(result(4_096, "alert") == nil)
        #expect(result(4_097, "alert") == .payloadTooLarge)
        #expect(result(5_120, "voip") == nil)
        #expect(result(5_121, "voip") == .payloadTooLarge)
    }

    @Test("PUSH-1: of a body no more is kept than is needed to see that it is too large")
    func keptBody() {
        var request = APNsRequest(head: APNsRequestHead())
        for _ in 0..<10 {
            request.append([UInt8](repeating: 0x20, count: 1_000))
        }
        #expect(request.body.count == APNsRequest.keptBytes)
        #expect(request.bodyLength == 10_000)
    }
}

/// A good request and one thing that is wrong with it.
struct CheckRow: Sendable, CustomTestStringConvertible {
    static let topic = "org.example.app"

    var testDescription: String
    var expected: APNsSimulator.Reason?
    var head = APNsRequestHead()
    var body = #"{"aps":{"alert":"hello"}}"#
    var provider: Result<ProviderToken, APNsRequestError>
    var device: DeviceTokenState
    var isKnown = true

    init(
        _ description: String,
        _ expected: APNsSimulator.Reason?,
        _ change: (inout CheckRow) -> Void = { _ in }
    ) {
        testDescription = description
        self.expected = expected
        provider = .success(
            ProviderToken(
                teamID: "TEAM123456",
                keyID: "KEY1234567",
                issuedAt: Date(timeIntervalSince1970: 0),
                topics: nil,
                environments: [.production]
            )
        )
        device = DeviceTokenState(topic: Self.topic, environment: .production, state: .valid)
        head.method = "POST"
        head.path = "/3/device/" + String(repeating: "0a", count: 32)
        head.topic = Self.topic
        head.pushType = "alert"
        change(&self)
    }

    /// A payload of a push type.
    init(_ description: String, _ expected: APNsSimulator.Reason?, _ pushType: String, _ body: String) {
        self.init(description, expected) { row in
            row.head.pushType = pushType
            row.body = body
        }
    }

    var result: APNsRequestError? {
        var request = APNsRequest(head: head)
        request.append(Array(body.utf8))
        do throws(APNsRequestError) {
            let push = try APNsRequestCheck.push(from: request, provider: provider)
            return APNsRequestCheck.error(of: push, at: .production, by: isKnown ? device : nil)
        } catch {
            return error
        }
    }

    static let all: [CheckRow] = accepted + requestFaults + headFaults + payloadFaults + deviceFaults

    private static let accepted: [CheckRow] = [
        CheckRow("good", nil),
        CheckRow("every field", nil) { row in
            row.head.id = "123E4567-e89b-12d3-a456-4266554400A0"
            row.head.expiration = "0"
            row.head.priority = "1"
            row.head.collapseID = String(repeating: "c", count: 64)
        },
        CheckRow("no push type", nil) { $0.head.pushType = nil },
        CheckRow("device token in capitals", nil) {
            $0.head.path = "/3/device/" + String(repeating: "AB", count: 32)
        },
        CheckRow("background with priority 5", nil) { row in
            row.head.pushType = "background"
            row.head.priority = "5"
            row.body = #"{"aps":{"content-available":1}}"#
        },
        CheckRow("content-available beside an alert", nil) { row in
            row.body = #"{"aps":{"alert":"a","content-available":1}}"#
        },
        CheckRow("mdm without aps", nil, "mdm", #"{"mdm":"PushMagic"}"#),
        CheckRow("fileprovider without aps", nil, "fileprovider", #"{"container-identifier":"x","domain":"d"}"#),
        CheckRow("voip without aps", nil, "voip", #"{"caller":"Anna"}"#),
        CheckRow("complication without aps", nil, "complication", "{}"),
        CheckRow(
            "liveactivity", nil, "liveactivity",
            #"{"aps":{"timestamp":1700000000,"event":"update","content-state":{}}}"#
        ),
    ]

    private static let requestFaults: [CheckRow] = [
        CheckRow("GET", .methodNotAllowed) { $0.head.method = "GET" },
        CheckRow("another path", .badPath) { $0.head.path = "/4/device/aa" },
        CheckRow("no slash", .badPath) { $0.head.path = "/3/device" },
        CheckRow("no device token", .missingDeviceToken) { $0.head.path = "/3/device/" },
        CheckRow("repeated field", .duplicateHeaders) { row in
            row.head.take("apns-topic", "org.example.other")
        },
        CheckRow("no provider token", .missingProviderToken) { row in
            row.provider = .failure(APNsRequestError(.missingProviderToken))
        },
        CheckRow("id before provider token", .badMessageID) { row in
            row.head.id = "1"
            row.provider = .failure(APNsRequestError(.missingProviderToken))
        },
    ]

    private static let headFaults: [CheckRow] = [
        CheckRow("id without hyphens", .badMessageID) { $0.head.id = "123e4567e89b12d3a4564266554400a0" },
        CheckRow("id with a letter", .badMessageID) { $0.head.id = "123e4567-e89b-12d3-a456-4266554400ag" },
        CheckRow("no topic", .missingTopic) { $0.head.topic = nil },
        CheckRow("empty topic", .missingTopic) { $0.head.topic = "" },
        CheckRow("topic with a space", .badTopic) { $0.head.topic = "org example" },
        CheckRow("topic not of the key", .topicDisallowed) { row in
            row.provider = row.provider.map { token in
                var token = token
                token.topics = ["org.example.other"]
                return token
            }
        },
        CheckRow("unknown push type", .invalidPushType) { $0.head.pushType = "loud" },
        CheckRow("expiration as text", .badExpirationDate) { $0.head.expiration = "tomorrow" },
        CheckRow("expiration below 0", .badExpirationDate) { $0.head.expiration = "-1" },
        CheckRow("expiration with a sign", .badExpirationDate) { $0.head.expiration = "+1" },
        CheckRow("expiration with a fraction", .badExpirationDate) { $0.head.expiration = "1.5" },
        CheckRow("priority 7", .badPriority) { $0.head.priority = "7" },
        CheckRow("collapse id of 65 bytes", .badCollapseID) { row in
            row.head.collapseID = String(repeating: "c", count: 65)
        },
        CheckRow("collapse id of 65 bytes in fewer characters", .badCollapseID) { row in
            row.head.collapseID = String(repeating: "é", count: 33)
        },
    ]

    private static let payloadFaults: [CheckRow] = [
        CheckRow("no payload", .payloadEmpty) { $0.body = "" },
        CheckRow("not JSON", .badPayload) { $0.body = "hello" },
        CheckRow("no aps", .badPayload) { $0.body = #"{"a":1}"# },
        CheckRow("mdm without its magic", .badPayload, "mdm", #"{"aps":{}}"#),
        CheckRow("mdm with a number", .badPayload, "mdm", #"{"mdm":1}"#),
        CheckRow("fileprovider without a container", .badPayload, "fileprovider", #"{"aps":{}}"#),
        CheckRow("voip with an aps that is none", .badPayload, "voip", #"{"aps":1}"#),
        CheckRow("liveactivity without an event", .badPayload, "liveactivity", #"{"aps":{"timestamp":1}}"#),
        CheckRow("widgets without aps", .badPayload, "widgets", "{}"),
        CheckRow("background with priority 10", .badPriority) { row in
            row.head.pushType = "background"
            row.head.priority = "10"
            row.body = #"{"aps":{"content-available":1}}"#
        },
        CheckRow("background with the default priority", .badPriority) { row in
            row.head.pushType = "background"
            row.body = #"{"aps":{"content-available":1}}"#
        },
        CheckRow("only content-available with priority 10", .badPriority) { row in
            row.body = #"{"aps":{"content-available":1}}"#
        },
        CheckRow("background that alerts", .invalidPushType) { row in
            row.head.pushType = "background"
            row.head.priority = "5"
        },
    ]

    private static let deviceFaults: [CheckRow] = [
        CheckRow("short device token", .badDeviceToken) { $0.head.path = "/3/device/0a0a" },
        CheckRow("device token not hexadecimal", .badDeviceToken) { row in
            row.head.path = "/3/device/" + String(repeating: "xy", count: 32)
        },
        CheckRow("unknown device token", .badDeviceToken) { $0.isKnown = false },
        CheckRow("device token of the sandbox", .badDeviceToken) { $0.device.environment = .sandbox },
        CheckRow("malformed", .badDeviceToken) { $0.device.state = .malformed },
        CheckRow("wrong topic", .deviceTokenNotForTopic) { $0.device.state = .wrongTopic },
        CheckRow("another topic", .deviceTokenNotForTopic) { $0.device.topic = "org.example.other" },
        CheckRow("unregistered", .unregistered) { row in
            row.device.state = .unregistered(since: Date(timeIntervalSince1970: 1))
        },
        CheckRow("expired", .expiredToken) { row in
            row.device.state = .expired(since: Date(timeIntervalSince1970: 1))
        },
        CheckRow("payload before device", .payloadTooLarge) { row in
            row.body = String(repeating: " ", count: 5_000)
            row.isKnown = false
        },
    ]
}
