import Foundation

extension String {
    /// As one segment of a path, or as a value in a query.
    var pathSegment: String {
        addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-_.~"))) ?? self
    }
}
