import BelfryModel
import BelfryWire
import Foundation
import Testing

/// How push tokens may be spelt (WIRE-5, REG-27).
struct PushTokenSpellingTests {
    @Test("REG-27: an APNs token is case-insensitive")
    func hexadecimal() throws {
        let upper = try PushToken("ABCDEF0123", provider: .apns, environment: .production)
        #expect(upper == (try PushToken("abcdef0123", provider: .apns, environment: .production)))
        let fcm = try PushToken("ABCDEF", provider: .fcm, environment: .production)
        #expect(fcm.value == "ABCDEF")
        let odd = try PushToken("Malformed-7", provider: .apns, environment: .production)
        #expect(odd.value == "Malformed-7")
    }

    @Test("WIRE-5: a web push token is the subscription object, one text for one subscription")
    func subscription() throws {
        func read(_ text: String) throws -> PushTokenRequest {
            try JSONDecoder().decode(PushTokenRequest.self, from: Data(text.utf8))
        }
        let request = try read(
            #"{"provider":"webpush","pushToken":{"keys":{"auth":"a","p256dh":"p"},"endpoint":"https://push.example/1"}}"#
        )
        let other = try read(
            #"{"push_token":{"endpoint":"https://push.example/1","keys":{"p256dh":"p","auth":"a"}},"provider":"webpush"}"#
        )
        #expect(request.pushToken == #"{"endpoint":"https://push.example/1","keys":{"auth":"a","p256dh":"p"}}"#)
        #expect(request.pushToken == other.pushToken)
        #expect(throws: Never.self) {
            try PushToken(request.pushToken, provider: .webpush, environment: .production)
        }
        #expect(throws: DecodingError.self) { try read(#"{"pushToken":{"endpoint":1}}"#) }
        #expect(throws: DecodingError.self) { try read(#"{"provider":"apns"}"#) }
    }
}
