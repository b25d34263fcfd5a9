import BelfryModel
import Synchronization

/// Client states and contact references that were signed or checked a moment ago. What was signed stays true, so
/// they need no end; a device shows and gets the same ones with each upload (PERF-3).
final class SignedStates: Sendable {
    /// Some hundred bytes each; beyond them the memory starts anew.
    static let maximumCount = 16_384

    private struct Link: Hashable {
        let device: Int64
        let contact: Int64
    }

    private let states = Mutex<[Link: String]>([:])

    func state(device: Int64, contact: Int64, client: DeviceID, keys: ServerKeys) -> String {
        let link = Link(device: device, contact: contact)
        if let state = states.withLock({ $0[link] }) { return state }
        let state = ClientState(device: device, contact: contact).signed(for: client.canonical, with: keys)
        states.withLock { states in
            if states.count >= Self.maximumCount { states = [:] }
            states[link] = state
        }
        return state
    }
}

/// Contact references whose signature was checked a moment ago.
final class KnownReferences: Sendable {
    private struct Known {
        let device: Int64
        let contact: Int64
    }

    private let references = Mutex<[String: Known]>([:])

    func contact(_ reference: String, device: Int64, keys: ServerKeys) -> Int64? {
        if let known = references.withLock({ $0[reference] }), known.device == device { return known.contact }
        guard let contact = ContactReference.contact(reference, device: device, keys: keys) else { return nil }
        references.withLock { references in
            if references.count >= SignedStates.maximumCount { references = [:] }
            references[reference] = Known(device: device, contact: contact)
        }
        return contact
    }
}
