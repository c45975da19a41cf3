// Package gate checks what a build must not exceed: "p95(ttft, warm) < 1500ms".
//
// Expressions come in ([Parse]) as text and the results of a diagnosis come in ([Expr.Check]); out go outcomes with the
// questions that broke them, and JUnit XML ([WriteJUnit]). An expression is
//
//	function ( [what] {, argument} ) operator limit
//
// where function and what are
//
//	p1 ... p99, max   a metric             against a duration, or a number for tokens
//	share             a part of E2E        its share of each question's E2E, the median of them, against a percentage
//	count             nothing, or a metric how many questions ended well, or how many values there are
//	cold              nothing, or a cost   how many questions had a cold cost
//	failed            nothing, or a status how many questions did not end well
//
// an argument is number=N, session=S, model=M, service=S, warm or cold, and the operators are < <= > >= == !=. A name with
// spaces, commas or brackets stands in double quotes.
//
// It imports stats, diagnose and the standard library.
package gate
