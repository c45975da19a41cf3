// Package web is the page: every view of the questions as HTML that the server has rendered, and the same as JSON.
//
// In: questions and spans of a [Source], over GET requests. Out: views with stable URLs. They work without scripts; the one
// script adds tooltips, zooming, details in place and live updates. Everything is served from here, and a strict
// Content-Security-Policy keeps it so. What the spans say is text and never markup.
//
// It may import model, diagnose, stats, report and near. It reads no database: the Source does.
package web
