import BelfryServerTestSupport
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryServices

/// The epoch is part of what is signed, and what was signed before there were epochs continues.
@Suite("Signed epochs")
struct SignedEpochTests {
    private static let keys = TestKeys.server()
    private static let client = "6c9c4f0a-5d6b-4b2e-9b7e-0c5a2e0f2a11"

    @Test("SEC-10: signatures from before there were epochs count as of epoch 0, and are still written so")
    func older() {
        let state = SignedValue.make([7, 5], for: Self.client, key: Self.keys.clientState)
        #expect(
            ClientStateHeader(state, for: Self.client, with: Self.keys)
                == ClientStateHeader(device: 7, contact: 5, epoch: 0))
        #expect(ClientStateHeader(device: 7, contact: 5, epoch: 0).signed(for: Self.client, with: Self.keys) == state)
        let reference = SignedValue.make([5], for: "device:7", key: Self.keys.contactReference)
        #expect(ContactReference(reference, for: 7, with: Self.keys) == ContactReference(contact: 5, epoch: 0))
        #expect(ContactReference(contact: 5, epoch: 0).signed(for: 7, with: Self.keys).hasSuffix(".\(reference)"))
    }

    @Test("SEC-10: an epoch is read as it was signed, and has one spelling", arguments: 0..<UInt64(4))
    func roundTrip(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let numbers = (0..<3).map { _ in Int64.random(in: 1...Int64.max, using: &dice) }
            let state = ClientStateHeader(device: numbers[0], contact: numbers[1], epoch: numbers[2])
            let text = state.signed(for: Self.client, with: Self.keys)
            #expect(ClientStateHeader(text, for: Self.client, with: Self.keys) == state)
            #expect(ClientStateHeader(text, for: "another", with: Self.keys) == nil)
            let reference = ContactReference(contact: numbers[0], epoch: numbers[1])
            let signed = reference.signed(for: numbers[2], with: Self.keys)
            #expect(ContactReference(signed, for: numbers[2], with: Self.keys) == reference)
        }
        for epoch in [Int64(0), -1, .min] {
            let odd = SignedValue.make([7, 5, epoch], for: Self.client, key: Self.keys.clientState)
            #expect(ClientStateHeader(odd, for: Self.client, with: Self.keys) == nil)
        }
    }
}
