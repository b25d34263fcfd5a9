import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

@testable import Belfry

/// Responses to the SDK, from a Belfry server or from another server in its place. The first character of an input
/// chooses the status and the request.
enum SDKResponseTarget {
    static func run(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let status = [200, 201, 204, 400, 401, 403, 404, 429, 503][input.choice(9)]
        let kind = input.choice(8)
        let header = input.text()
        let body = Data(input.bytes())
        let response = TransportResponse(
            status: status, headers: ["Retry-After": header, "Date": header, HeaderNames.clientState: header],
            body: body
        )
        let answer = ServerResponse(response, now: Fixtures.now)
        _ = answer.expectingNothing(now: Fixtures.now)
        try read(answer, kind: kind)
    }

    private static func read(_ answer: ServerResponse, kind: Int) throws {
        let now = Fixtures.now
        switch kind {
        case 0: _ = answer.reading(ContactLinkResponse.self, now: now)
        case 1: _ = answer.reading(ContactTokenResponse.self, now: now)
        case 2: _ = answer.reading(RegistrationResponse.self, now: now)
        case 3: _ = answer.reading(EventBatchResponse.self, now: now)
        case 4: _ = answer.reading(RichContentResponse.self, now: now)
        case 5: try centers(answer.body)
        case 6: try messages(answer.body)
        default: _ = answer.reading(RegistrationReceipt.self, now: now)
        }
    }

    private static func centers(_ body: Data) throws {
        guard case .read(let answer, let messages) = MessageCenterReading(body) else { return }
        let most = MessageCenterReading.maximumCenters * MessageCenterReading.maximumMessages
        try expect(messages.count <= most, "messages have a bound: \(messages.count)")
        for message in messages {
            try expect(
                !message.id.isEmpty && message.id.utf8.count <= StoredMessageCenterMessage.maximumIDBytes, "an id")
            _ = MessageCenterMessage(message)
        }
        _ = ListedMessageCenter.all(of: answer)
    }

    private static func messages(_ body: Data) throws {
        guard let reading = InAppReading(body) else { return }
        try expect(reading.cursor.utf8.count <= InAppReading.maximumCursorBytes, "a cursor has a bound")
        try expect(reading.messages.count <= StoredInAppMessage.maximumKept, "messages have a bound")
        for message in reading.messages {
            _ = message.candidate
            _ = message.message(displayCount: 1)
            try expect(message.candidate.delay.isFinite, "a delay ends")
        }
    }
}
