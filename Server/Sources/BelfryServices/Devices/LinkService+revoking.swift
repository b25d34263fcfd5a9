import BelfryModel
import BelfryStore
import Foundation

extension LinkService {
    /// Ends whatever shows a device to be itself: its tokens, its state, its references and its link (WIRE-20, SEC-10), also
    /// for when it has been linked again. It is told to register
    /// anew with its next call, and is a new installation from then on; until it has linked it gets no push.
    @discardableResult
    package func revoke(_ id: String, app: AppRecord) async throws -> Int64 {
        let now = environment.now()
        return try await database.write { connection in
            var device = try connection.device(id, app: app)
            try connection.startNewInstallation(&device, now: now)
            let former = device.contact
            if let former { try connection.formerDevices.insert(device.id, of: former, app: device.app) }
            device.contact = nil
            device.updatedAt = now
            try connection.devices.save(device)
            if let former { try connection.contacts.deleteIfEmpty(former, app: device.app) }
            return device.id
        }
    }
}
