import BelfryModel
import BelfryStore
import Synchronization

/// Client states and contact references that were signed or checked recently. A signature stays valid, so entries need
/// no expiry. A device sends and gets the same ones with each upload (PERF-3).
final class SignedStates: Sendable {
    /// Entries that are kept; each takes a few hundred bytes.
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

/// Contact references whose signature was checked recently.
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

    /// The owner that a text of an event or a state names. Without a text it is the device's present contact.
    func named(_ text: String?, device: Int64, keys: ServerKeys) -> NamedOwner {
        guard let text, !text.isEmpty else { return .current }
        return reference(text, device: device, keys: keys).map(NamedOwner.reference) ?? .nobody
    }
}
