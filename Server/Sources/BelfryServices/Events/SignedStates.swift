import BelfryModel
import BelfryStore
import Synchronization

/// Client states and contact references that were signed or checked a moment ago. What was signed stays true, so
/// they need no end; a device shows and gets the same ones with each upload (PERF-3).
final class SignedStates: Sendable {
    /// Some hundred bytes each; beyond them the memory starts anew.
    static let maximumCount = 16_384

    private let states = Mutex<[ClientState: String]>([:])

    func state(of link: DeviceLink, client: DeviceID, keys: ServerKeys) -> String {
        let state = ClientState(link)
        if let signed = states.withLock({ $0[state] }) { return signed }
        let signed = state.signed(for: client.canonical, with: keys)
        states.withLock { states in
            if states.count >= Self.maximumCount { states = [:] }
            states[state] = signed
        }
        return signed
    }
}

/// Contact references whose signature was checked a moment ago.
final class KnownReferences: Sendable {
    private struct Known {
        let device: Int64
        let reference: ContactReference
    }

    private let references = Mutex<[String: Known]>([:])

    func reference(_ text: String, device: Int64, keys: ServerKeys) -> ContactReference? {
        if let known = references.withLock({ $0[text] }), known.device == device { return known.reference }
        guard let reference = ContactReference(text, for: device, with: keys) else { return nil }
        references.withLock { references in
            if references.count >= SignedStates.maximumCount { references = [:] }
            references[text] = Known(device: device, reference: reference)
        }
        return reference
    }

    /// Whom a text that came with an event or a state names; without one it is the contact that the device has.
    func named(_ text: String?, device: Int64, keys: ServerKeys) -> NamedOwner {
        guard let text, !text.isEmpty else { return .current }
        return reference(text, device: device, keys: keys).map(NamedOwner.reference) ?? .nobody
    }
}
