import BelfryModel
import BelfryStore
import Synchronization

/// Client states and contact references that were signed or checked a moment ago. What was signed stays true, so
/// they need no end; a device shows and gets the same ones with each upload (PERF-3).
final class SignedStates: Sendable {
    /// Some hundred bytes each.
    static let maximumCount = 16_384

    private let states = Mutex(RecentMemory<ClientStateHeader, String>(maximumCount: maximumCount))

    func state(of link: DeviceLink, client: DeviceID, keys: ServerKeys) -> String {
        let state = ClientStateHeader(link)
        if let signed = states.withLock({ $0.find(state) }) { return signed }
        let signed = state.signed(for: client.canonical, with: keys)
        states.withLock { $0.insert(signed, for: state) }
        return signed
    }
}

/// Contact references whose signature was checked a moment ago.
final class KnownReferences: Sendable {
    private struct Known {
        let device: Int64
        let reference: ContactReference
    }

    private let references = Mutex(RecentMemory<String, Known>(maximumCount: SignedStates.maximumCount))

    func reference(_ text: String, device: Int64, keys: ServerKeys) -> ContactReference? {
        if let known = references.withLock({ $0.find(text) }), known.device == device { return known.reference }
        guard let reference = ContactReference(text, for: device, with: keys) else { return nil }
        references.withLock { $0.insert(Known(device: device, reference: reference), for: text) }
        return reference
    }

    /// Whom a text that came with an event or a state names; without one it is the contact that the device has.
    func named(_ text: String?, device: Int64, keys: ServerKeys) -> NamedOwner {
        guard let text, !text.isEmpty else { return .current }
        return reference(text, device: device, keys: keys).map(NamedOwner.reference) ?? .nobody
    }
}
