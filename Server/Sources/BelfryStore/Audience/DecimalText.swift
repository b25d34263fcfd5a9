import BelfryModel

/// The engines' dialects keep its limits too.
package typealias DecimalText = BelfryModel.DecimalText
