import BelfryRules
import Foundation
import Testing

@testable import Belfry

struct MessageCenterErrorTests {
    @Test("MC-10: every error has the number by which apps of the vendor know it")
    func numbers() {
        let numbers: [(MessageCenterError.Code, Int)] = [
            (.noNetwork, 5001), (.maximumRetryReached, 5002), (.invalidURL, 5003), (.invalidPayload, 5004),
            (.emptyResponse, 5005), (.invalidAppOrAccountToken, 400), (.messageCenterDisabled, 403),
            (.messageCenterFailure, 404), (.richContentAlreadyServed, 410), (.serverUnavailable, 503),
        ]
        for (code, number) in numbers {
            let error = MessageCenterError(code, "Why.")
            #expect(error.numericCode == number)
            let system = error as NSError
            #expect(system.code == number && system.domain == MessageCenterError.domain)
            #expect(system.localizedDescription == "Why.")
        }
        #expect(Set(numbers.map(\.0)).count == numbers.count)
        #expect(MessageCenterError.Code.unknownMessage != .messageCenterFailure)
    }

    @Test("MC-10: the error follows the server's response or its absence; a foreign error means no network")
    func meanings() {
        let cases: [(Int?, String?, MessageCenterError.Code)] = [
            (nil, nil, .noNetwork), (400, "unknownApp", .invalidAppOrAccountToken), (400, nil, .noNetwork),
            (403, "messageCenterDisabled", .messageCenterDisabled), (403, nil, .noNetwork), (302, nil, .noNetwork),
            (404, "unknownMessageCenter", .messageCenterFailure), (404, "unknownMessage", .unknownMessage),
            (404, nil, .noNetwork), (410, "richContentAlreadyServed", .richContentAlreadyServed),
            (400, "invalidBadge", .invalidBadge), (401, "contactTokenExpired", .unauthorized),
            (429, "tooManyRequests", .tooManyRequests), (429, nil, .tooManyRequests), (503, nil, .serverUnavailable),
            (500, "internal", .serverUnavailable), (400, "invalidBody", .refused),
        ]
        for (status, code, expected) in cases {
            let failure = CallFailure(status: status, code: code, message: "Why.", at: World.epoch)
            #expect(MessageCenterError(failure).code == expected, "\(status ?? 0) \(code ?? "-")")
        }
        #expect(MessageCenterError(BelfryError.stopped).code == .stopped)
        #expect(MessageCenterError(BelfryError(.storageUnavailable, "Full.")).code == .storageUnavailable)
    }
}
