import BelfryModel
import BelfryStore
import Foundation

extension LinkService {
    /// Ends whatever shows a device to be itself: its tokens, its state and its link (WIRE-20). It is told to register
    /// anew with its next call, and is a new installation from then on; until it has linked it gets no push.
    @discardableResult
    package func revoke(_ id: String, app: AppRecord) async throws -> Int64 {
        let now = environment.now()
        return try await database.write { connection in
            var device = try connection.device(id, app: app)
            try connection.startNewInstallation(&device, now: now)
            // As long as it had its contact, its state would still vouch for it.
            if let contact = device.contact {
                try connection.formerDevices.insert(device.id, of: contact, app: device.app)
            }
            device.contact = nil
            device.updatedAt = now
            try connection.devices.save(device)
            return device.id
        }
    }
}
