import BelfryWire
import Foundation

@testable import Belfry

/// `POST /client/contact` with a body (WIRE-2).
extension FakeServer {
    func link(_ request: Request) -> TransportResponse {
        guard let link = try? JSONDecoder().decode(ContactLinkRequest.self, from: request.body) else {
            return Self.error(400, "invalidBody")
        }
        if let token = link.openIdToken {
            return provenKeys[token].map { linked(to: $0, by: request) } ?? Self.error(403, "openIDTokenInvalid")
        }
        if let key = link.contactFieldValue { return linked(to: key, by: request) }
        if let party = link.partyIdentifier {
            guard allowsParties else { return Self.error(403, "openIDRequired") }
            return linked(to: "party:\(party.number)", by: request)
        }
        if let nonce = link.nonce {
            return offers[nonce].map { linked(to: $0, by: request) } ?? Self.error(403, "nothingToTakeOver")
        }
        return Self.error(400, "invalidBody")
    }

    func set(allowsParties: Bool) {
        self.allowsParties = allowsParties
    }

    func offer(_ contact: String, nonce: String) {
        offers[nonce] = contact
    }

    func endOffers() {
        offers = [:]
    }
}
