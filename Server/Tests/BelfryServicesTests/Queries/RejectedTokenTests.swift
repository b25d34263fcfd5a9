import BelfryModel
import BelfryPush
import BelfryServices
import Foundation
import Testing

@Suite("LED-2: what a push service's word about a token means")
struct RejectedTokenTests {
    @Test("LED-2: the words of all services that opt devices out are explained, each by its class")
    func words() {
        let words: [(RejectedToken, [String])] = [
            (.gone, ["Unregistered", "ExpiredToken", "UNREGISTERED", "status404", "status410"]),
            (.malformed, ["BadDeviceToken", "MissingDeviceToken", "BadPath"]),
            (
                .ofAnother,
                [
                    "DeviceTokenNotForTopic", "BadTopic", "MissingTopic", "TopicDisallowed", "SENDER_ID_MISMATCH",
                    "NOT_FOUND", WebPushResponse.keyMismatch,
                ]
            ),
        ]
        for (meaning, reasons) in words {
            for reason in reasons { #expect(RejectedToken(DeliveryReason(rawValue: reason)) == meaning, "\(reason)") }
        }
        #expect(Set(RejectedToken.allCases.map(\.sentence)).count == RejectedToken.allCases.count)
    }

    @Test("LED-2: a word that says nothing about the token alone is not explained as if it did")
    func others() {
        for reason in ["INVALID_ARGUMENT", "PayloadEmpty", "status400", "noAnswer", "unregistered", ""] {
            #expect(RejectedToken(DeliveryReason(rawValue: reason)) == nil, "\(reason)")
        }
    }
}
