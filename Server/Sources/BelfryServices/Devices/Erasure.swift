/// The answer to an installation whose person was erased (REG-36).
package struct Erasure: Hashable, Sendable {
    package static let error = ServiceError.gone(
        code: "erased", message: "This installation was erased. Delete all its data and send nothing more."
    )

    /// What a client of v3 stores in place of its state from before the erasure: with it the client begins anew.
    package var state: String?

    package var error: ServiceError { Self.error }
}
