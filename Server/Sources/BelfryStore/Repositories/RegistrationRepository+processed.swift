import BelfryModel
import Foundation

/// What became of a registration, and no more of its row.
package struct ProcessedRegistration: Hashable, Sendable {
    package let revision: Int64
    package let status: ReceiptStatus
    package let rejected: [RejectedField]
    package let processedAt: Date
}

extension RegistrationRepository {
    /// The device is its argument.
    package static let newestProcessedSQL: SQLText = """
        SELECT revision, status, rejected, processed_at FROM registrations
        WHERE device_id = ? AND status IN ('processed', 'partlyRejected') ORDER BY revision DESC, id DESC LIMIT 1
        """

    /// The newest of a device that was processed. One that was superseded has said nothing: it would hide what was
    /// rejected of the one that counts.
    package func newestProcessed(of device: Int64) throws -> ProcessedRegistration? {
        try connection.first(Self.newestProcessedSQL, [.integer(device)]) { row in
            guard let status = ReceiptStatus(rawValue: row.text(1)) else {
                throw StoreError.corrupted(table: "registrations", key: "the newest of device \(device)")
            }
            return ProcessedRegistration(
                revision: row.integer(0), status: status,
                rejected: try JSONText.decode([RejectedField].self, row.text(2)), processedAt: row.date(3)
            )
        }
    }
}
