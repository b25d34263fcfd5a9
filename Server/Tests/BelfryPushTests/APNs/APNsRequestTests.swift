import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation
import Testing

struct APNsRequestTests {
    private let token = String(repeating: "0123456789abcdef", count: 4)

    @Test("PUSH-1: a request has the path and the header fields that APNs requires")
    func request() throws {
        let content = PushContent(title: "a", body: "b", ttlSeconds: 3_600)
        let request = try makeRequest(content, token: token)
        #expect(request.path == "/3/device/\(token)")
        #expect(
            request.common.fields == [
                HeaderField("authorization", "bearer jwt"), HeaderField("apns-topic", "com.example.app"),
                HeaderField("apns-push-type", "alert"), HeaderField("apns-priority", "10"),
            ]
        )
        #expect(
            request.fields == [
                HeaderField("apns-id", try message().text), HeaderField("apns-collapse-id", "belfry-7"),
                HeaderField("apns-expiration", "1764003600"),
            ]
        )
        #expect((request.common.fields + request.fields).allSatisfy { $0.name == $0.name.lowercased() })
        let body = try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
        #expect((body?["belfry"] as? [String: Any])?["sid"] as? String == request.fields[0].value)
    }

    @Test("PUSH-1: a time to live of 0 is 'now or never'")
    func timeToLive() throws {
        #expect(try field("apns-expiration", PushContent(title: "a", body: "b", ttlSeconds: 0)) == "0")
        #expect(try field("apns-expiration", PushContent(title: "a", body: "b", ttlSeconds: -5)) == "0")
        let far = PushContent(title: "a", body: "b")
        #expect(try field("apns-expiration", far, expiresAt: .distantFuture) == "4294967295")
        #expect(try field("apns-expiration", far, expiresAt: .distantPast) == "1")
    }

    @Test("PUSH-1: only priorities that APNs knows are sent", arguments: [(nil, "10"), (10, "10"), (5, "5"), (1, "1")])
    func priority(_ priority: Int?, expected: String) throws {
        #expect(try field("apns-priority", PushContent(title: "a", body: "b", priority: priority)) == expected)
        #expect(try field("apns-priority", PushContent(title: "a", body: "b", priority: 7)) == "10")
    }

    @Test("PUSH-5: the collapse id is the campaign's own, or derived from it, and fits into a header")
    func collapseID() throws {
        let table: [(own: String?, sent: String)] = [
            (nil, "belfry-7"), ("", "belfry-7"), ("score", "score"),
            (String(repeating: "x", count: 64), String(repeating: "x", count: 64)),
            (String(repeating: "é", count: 40), "hP4uA9UN06GLYwZp19XjYRF6xq-cu0h8KEyObJGpdYo"),
        ]
        for (own, sent) in table {
            #expect(try field("apns-collapse-id", PushContent(title: "a", body: "b", collapseId: own)) == sent)
        }
        for hostile in ["a\r\nb: c", "a b", String(repeating: "x", count: 65), "\u{0}"] {
            let sent = try field("apns-collapse-id", PushContent(title: "a", body: "b", collapseId: hostile))
            #expect(sent.utf8.count == 43)
            #expect(sent.utf8.allSatisfy { (0x21...0x7e).contains($0) })
        }
    }

    @Test("PUSH-21: the path stays one path, whatever a device sent as its token")
    func hostileTokens() throws {
        let table = [
            ("../../admin", "%2E%2E%2F%2E%2E%2Fadmin"), ("a?b#c", "a%3Fb%23c"), ("{\"e\":1}", "%7B%22e%22%3A1%7D"),
            ("ABCdef", "ABCdef"), ("é\r\n", "%C3%A9%0D%0A"),
        ]
        let content = PushContent(title: "a", body: "b")
        for (token, path) in table {
            #expect(try makeRequest(content, token: token).path == "/3/device/" + path)
        }
        #expect(try makeRequest(content, token: String(repeating: "a", count: 512)).path.utf8.count == 522)
        for token in ["", String(repeating: "a", count: 513)] {
            #expect(throws: PushRequestError.tokenMalformed) { try makeRequest(content, token: token) }
        }
        #expect(PushRequestError.tokenMalformed.outcome == .tokenMalformed(reason: "malformedToken"))
    }

    private func message() throws -> MessageID {
        try .make(campaign: Fixtures.campaign(), device: DeviceID("3F2504E0-4F89-41D3-9A0C-0305E82C3301"))
    }

    private func makeRequest(
        _ content: PushContent,
        token: String,
        expiresAt: Date = Fixtures.now.addingTimeInterval(3_600)
    ) throws -> PushRequest {
        let template = try APNsRequestTemplate(
            content: content,
            campaign: Fixtures.campaign(),
            expiresAt: expiresAt
        )
        let common = template.commonHeaders(credentials: try Fixtures.credentials(), providerToken: "jwt")
        return try template.request(token: token, message: message(), recipient: "mark", common: common)
    }

    private func field(
        _ name: String,
        _ content: PushContent,
        expiresAt: Date = Fixtures.now
    ) throws -> String {
        let request = try makeRequest(content, token: token, expiresAt: expiresAt)
        let values = (request.common.fields + request.fields).filter { $0.name == name }.map(\.value)
        try #require(values.count == 1)
        return values[0]
    }
}
