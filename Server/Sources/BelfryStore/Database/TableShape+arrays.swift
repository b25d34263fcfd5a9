extension TableShape.Kind {
    /// The place of an argument that is an array of values of this kind, for engines that have arrays.
    var arrayMark: SQLText {
        switch self {
        case .integer: "?::bigint[]"
        case .real: "?::double precision[]"
        case .text: "?::text[]"
        case .bytes: "?::bytea[]"
        }
    }
}
